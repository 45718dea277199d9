/**
 * Lines that stay in their place at the bottom of a terminal: drawn over each other, left as they are at the end. Only
 * cursor movement, no alternate screen, so that what scrolled by before can still be read.
 */
import { rowsOf } from './text-width.ts';

export interface Terminal {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ERASE_BELOW = '\u001b[J';

export class Screen {
  readonly #terminal: Terminal;
  #lines: readonly string[] = [];
  #isHidden = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** What a terminal that does not say it takes for granted. */
  get size(): { columns: number; rows: number } {
    const { columns = 0, rows = 0 } = this.#terminal;
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
  }

  /** Draws over the last drawing, which may have been wrapped by a narrower window since. */
  draw(lines: readonly string[]): void {
    const up = rowsOf(this.#lines, this.size.columns);
    const back = up === 0 ? '' : `\r\u001b[${up}A${ERASE_BELOW}`;
    this.#terminal.write(`${this.#isHidden ? '' : HIDE_CURSOR}${back}${lines.map((line) => `${line}\n`).join('')}`);
    this.#lines = lines;
    this.#isHidden = true;
  }

  /** Gives the cursor back; idempotent. */
  leave(): void {
    if (this.#isHidden) this.#terminal.write(SHOW_CURSOR);
    this.#isHidden = false;
  }
}
