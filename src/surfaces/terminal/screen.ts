/**
 * Lines that stay at the bottom of a terminal: each drawing replaces the last one, and the final one stays. It only
 * moves the cursor and uses no alternate screen, so that earlier output can still be read.
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

  /** The size of the terminal; 80 × 24 if it is unknown. */
  get size(): { columns: number; rows: number } {
    const { columns = 0, rows = 0 } = this.#terminal;
    return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
  }

  /** Draws over the last drawing, which a narrower window may have wrapped since. */
  draw(lines: readonly string[]): void {
    const up = rowsOf(this.#lines, this.size.columns);
    const back = up === 0 ? '' : `\r\u001b[${up}A${ERASE_BELOW}`;
    this.#terminal.write(`${this.#isHidden ? '' : HIDE_CURSOR}${back}${lines.map((line) => `${line}\n`).join('')}`);
    this.#lines = lines;
    this.#isHidden = true;
  }

  /** Shows the cursor again. Idempotent. */
  leave(): void {
    if (this.#isHidden) this.#terminal.write(SHOW_CURSOR);
    this.#isHidden = false;
  }
}
