/**
 * A member's output, `logs/<name>.log`: capped and rotated. People print it, so what a terminal would obey is spelled
 * (`^[`). A failure of the log never ends the work that it records.
 */
import { StringDecoder } from 'node:string_decoder';
import { visibleText } from '../../model/text/safe-text.ts';
import { O_APPEND, O_CREAT, O_WRONLY, type Disk } from '../files/disk.ts';
import { openOurs } from '../files/file.ts';

const LOG_BYTES = 10 * 1024 * 1024;
const KEPT = 2;

export class OutputLog {
  readonly #disk: Disk;
  readonly #path: string;
  #fd: number | undefined;
  #size = 0;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  /** The first failure, for a caller that reports it. */
  failure: Error | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  append(bytes: Buffer): void {
    this.#keep(this.#held + this.#decoder.write(bytes));
  }

  close(): void {
    this.#keep(this.#held + this.#decoder.end(), true);
    this.#held = '';
    this.#closeFile();
  }

  /** A carriage return at the end waits for what follows: before a newline it stays. */
  #keep(text: string, isLast = false): void {
    this.#held = text.endsWith('\r') && !isLast ? '\r' : '';
    const whole = this.#held === '' ? text : text.slice(0, -1);
    if (whole !== '') this.#write(Buffer.from(visibleText(whole)));
  }

  #write(bytes: Buffer): void {
    try {
      if (this.#fd === undefined) this.#open();
      if (this.#size + bytes.length > LOG_BYTES) this.#rotate();
      if (this.#fd !== undefined) this.#size += this.#disk.writeSync(this.#fd, bytes, 0, bytes.length, null);
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      this.#closeFile();
    }
  }

  #closeFile(): void {
    if (this.#fd !== undefined) this.#disk.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): void {
    this.#fd = openOurs(this.#disk, this.#path, O_WRONLY | O_APPEND | O_CREAT);
    this.#size = this.#disk.fstatSync(this.#fd).size;
  }

  /** Renames `x.log` to `x.log.1`, and so on; the oldest is replaced. */
  #rotate(): void {
    this.#closeFile();
    for (let age = KEPT; age > 0; age -= 1)
      this.#move(age === 1 ? this.#path : `${this.#path}.${age - 1}`, `${this.#path}.${age}`);
    this.#open();
  }

  #move(from: string, to: string): void {
    try {
      this.#disk.renameSync(from, to);
    } catch {
      // There is no file of that age yet.
    }
  }
}

/** A descriptor of a member's log, for a process that is about to start. */
export const openOutput = (disk: Disk, path: string): number => openOurs(disk, path, O_WRONLY | O_APPEND | O_CREAT);
