/**
 * A page of lines from a text that comes in pieces: bounded in lines and bytes, whatever the text is. The text is read
 * to its end, so that the page knows the number of lines.
 */
import { UsageError } from '../../model/text/errors.ts';

export interface LinePageRequest {
  /** The first line, from 1. */
  readonly from: number;
  readonly lines: number;
  readonly bytes: number;
}

export interface Page {
  /** The lines from `from` on, without line ends. */
  readonly lines: readonly string[];
  /** Number of lines; a last one without a newline counts. */
  readonly total: number;
}

const NEWLINE = 10;
/** Bytes of one line that are shown. */
const LONGEST_LINE = 8 * 1024;

export class LinePage {
  readonly #wanted: LinePageRequest;
  readonly #lines: string[] = [];
  #number = 1;
  #room: number;
  /** The shown part of the current line. */
  #parts: Buffer[] = [];
  #held = 0;
  /** Bytes of the current line. */
  #length = 0;

  constructor(wanted: LinePageRequest) {
    this.#wanted = wanted;
    this.#room = wanted.bytes;
  }

  /** @throws UsageError `USAGE` for a piece with a NUL byte; the piece may be reused afterwards */
  push(piece: Buffer): void {
    if (piece.includes(0)) throw notText();
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      this.#grow(piece.subarray(from, end));
      this.#close();
      from = end + 1;
    }
    this.#grow(piece.subarray(from));
  }

  end(): Page {
    if (this.#length > 0) this.#close();
    return { lines: this.#lines, total: this.#number - 1 };
  }

  #isWanted(): boolean {
    const { from, lines } = this.#wanted;
    return (
      this.#number >= from &&
      this.#number < from + lines &&
      this.#number === from + this.#lines.length &&
      this.#room > 0
    );
  }

  #grow(bytes: Buffer): void {
    this.#length += bytes.length;
    if (bytes.length === 0 || !this.#isWanted()) return;
    const part = Buffer.from(bytes.subarray(0, LONGEST_LINE - this.#held));
    this.#parts.push(part);
    this.#held += part.length;
  }

  #close(): void {
    if (this.#isWanted()) this.#take();
    [this.#parts, this.#held, this.#length] = [[], 0, 0];
    this.#number += 1;
  }

  /** The first line of a page is taken however long it is, so that every page makes progress. */
  #take(): void {
    const bytes = Buffer.concat(this.#parts);
    const isCut = this.#length > this.#held;
    const text = textOf(bytes, isCut);
    const line = isCut ? `${text}… [this line has ${this.#length} bytes]` : text.replace(/\r$/, '');
    const cost = Buffer.byteLength(line) + 8;
    this.#room = this.#lines.length > 0 && cost > this.#room ? 0 : this.#room - cost;
    if (this.#room > 0 || this.#lines.length === 0) this.#lines.push(line);
  }
}

/** @param isCut the last character may be incomplete */
function textOf(bytes: Buffer, isCut: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    throw notText();
  }
}

const notText = (): UsageError => new UsageError('USAGE', 'This is not UTF-8 text; look at it with a command.');
