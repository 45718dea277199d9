/**
 * A member's output, `logs/<name>.log`: capped and rotated. People print it, so what a terminal would obey is spelled
 * (`^[`). A failure of the log never ends the work that it records.
 */
import { StringDecoder } from 'node:string_decoder';
import { visibleText } from '../../model/text/safe-text.ts';
import { O_APPEND, O_CREAT, O_WRONLY, type Disk } from '../files/disk.ts';
import { openOurs, writeWhole } from '../files/file.ts';

const NEWLINE = 10;
const LOG_BYTES = 10 * 1024 * 1024;
/** How many rotated files are kept. */
export const KEPT_OUTPUTS = 2;

/** The name of a file after so many rotations. */
export const outputAged = (path: string, age: number): string => (age === 0 ? path : `${path}.${age}`);

/** Whose output follows. */
interface OutputOwner {
  readonly task: string;
  readonly claim: number;
}

export class OutputLog {
  readonly #disk: Disk;
  readonly #path: string;
  /** Where each attempt's part begins: see `output-parts.ts`. */
  readonly #parts: string;
  #owner: OutputOwner | undefined;
  #since = '';
  #fd: number | undefined;
  #partsFd: number | undefined;
  #file = 0;
  #size = 0;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  #isMidLine = false;
  /** The first failure, for a caller that reports it. */
  failure: Error | undefined;

  constructor(disk: Disk, path: string, parts: string) {
    this.#disk = disk;
    this.#path = path;
    this.#parts = parts;
  }

  /** What follows belongs to this attempt, or to none. */
  begin(owner: OutputOwner | undefined, at: string): void {
    if (owner === undefined && this.#owner === undefined) return;
    this.#keep(this.#held + this.#decoder.end(), true);
    // What the next one prints begins in a line of its own.
    if (this.#isMidLine) this.#write(Buffer.from('\n'));
    this.#owner = owner;
    this.#since = at;
    this.#tryTo(() => {
      if (this.#fd === undefined) this.#open();
      this.#mark();
    });
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
    this.#isMidLine = bytes.at(-1) !== NEWLINE;
    this.#tryTo(() => {
      if (this.#fd === undefined) this.#open();
      if (this.#size + bytes.length > LOG_BYTES) this.#rotate();
      if (this.#fd !== undefined) this.#size += this.#disk.writeSync(this.#fd, bytes, 0, bytes.length, null);
    });
  }

  #tryTo(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      this.#closeFile();
    }
  }

  /** Writes down where the owner's part begins. Other processes may have written into the file, so its size is read. */
  #mark(): void {
    if (this.#fd === undefined) return;
    const from = this.#disk.fstatSync(this.#fd).size;
    const line = JSON.stringify({
      at: this.#since,
      file: this.#file,
      from,
      task: this.#owner?.task,
      claim: this.#owner?.claim,
    });
    this.#partsFd ??= openOurs(this.#disk, this.#parts, O_WRONLY | O_APPEND | O_CREAT);
    writeWhole(this.#disk, this.#partsFd, Buffer.from(`${line}\n`), this.#parts);
  }

  #closeFile(): void {
    for (const fd of [this.#fd, this.#partsFd]) if (fd !== undefined) this.#disk.closeSync(fd);
    this.#fd = undefined;
    this.#partsFd = undefined;
  }

  #open(): void {
    this.#fd = openOurs(this.#disk, this.#path, O_WRONLY | O_APPEND | O_CREAT);
    const { size, ino } = this.#disk.fstatSync(this.#fd);
    this.#size = size;
    this.#file = ino;
  }

  /** Renames `x.log` to `x.log.1`, and so on; the oldest is replaced. Its parts move with it. */
  #rotate(): void {
    this.#closeFile();
    for (const path of [this.#path, this.#parts])
      for (let age = KEPT_OUTPUTS; age > 0; age -= 1) this.#move(outputAged(path, age - 1), outputAged(path, age));
    this.#open();
    if (this.#owner !== undefined) this.#mark();
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
