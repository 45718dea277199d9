/**
 * One of this process's own output streams. A write that fails never throws and never ends the process: a full disk
 * under a log must not end the run that it tells about.
 *
 * A file is written at once. A pipe takes what it can; the rest waits in memory. A remark that finds no room is left
 * out and counted, and the count is printed as soon as there is room. Data on stdout must have no gaps: after the first
 * failure nothing more is written, and `failure` says why.
 */
import { fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import process from 'node:process';
import { isatty } from 'node:tty';
import { realClock } from '../../app.ts';

export interface OutputStream {
  /** @param done called when the text was accepted, or when the reader is gone */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

interface OwnStreamOptions {
  readonly descriptor: 1 | 2;
  /** True: nothing follows a gap (data). False: a gap is counted (remarks). */
  readonly isData: boolean;
  /** Called once, when the reader is gone or data cannot be written. */
  readonly onGone: () => void;
}

type Done = (error?: Error | null) => void;

/** Takes the place of the terminal: the text goes to another process. False if there is no such process any more. */
type Relay = (text: string) => boolean;

/** Bytes that may wait for the reader of a pipe. */
const MOST_WAITING = 8 * 1024 * 1024;
const DRAIN_LOOK_MS = 20;
/** The reader is gone: EIO is a closed terminal. */
const GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

export class OwnStream implements OutputStream {
  readonly isTTY: boolean;
  readonly #options: OwnStreamOptions;
  readonly #isFile: boolean;
  #stream: NodeJS.WriteStream | undefined;
  #relay: Relay | undefined;
  #failure: Error | undefined;
  #leftOut = 0;
  #why = '';
  #hint = '';

  constructor(options: OwnStreamOptions) {
    this.#options = options;
    const kind = kindOf(options.descriptor);
    this.isTTY = kind === 'terminal';
    this.#isFile = kind === 'file';
  }

  /** Why data could not be written; undefined while all of it was. */
  get failure(): string | undefined {
    return this.#failure && reasonOf(this.#failure);
  }

  get columns(): number {
    return this.#own().columns;
  }

  get rows(): number {
    return this.#own().rows;
  }

  /** @param hint where left out lines can be read, as the end of a sentence */
  setHint(hint: string): void {
    this.#hint = hint;
  }

  relayTo(relay: Relay): void {
    this.#relay = relay;
  }

  write(text: string, done: Done = () => {}): void {
    const said = `${this.#notice()}${text}`;
    if (this.#failure !== undefined) done(this.#failure);
    else if (this.#relay?.(said) === true) done();
    else if (this.#isFile) this.#finish(this.#writeFile(said), text, done);
    else if (!this.#options.isData && this.#own().writableLength > MOST_WAITING)
      this.#finish(new Error('its reader is too slow'), text, done);
    else {
      this.#leftOut = 0;
      this.#own().write(said, done);
    }
  }

  /**
   * Waits until the reader of a pipe has everything.
   *
   * @param patienceMs how long it may take nothing
   * @returns whether it has
   */
  async drained(patienceMs: number): Promise<boolean> {
    const stream = this.#stream;
    if (stream === undefined) return true;
    let least = stream.writableLength;
    for (let waited = 0; least > 0 && !stream.destroyed; waited += DRAIN_LOOK_MS) {
      if (waited >= patienceMs) return false;
      await realClock.sleep(DRAIN_LOOK_MS);
      if (stream.writableLength >= least) continue;
      least = stream.writableLength;
      waited = 0;
    }
    return true;
  }

  /** Prints the count of left out lines, if there is room by now. */
  end(): void {
    if (this.#leftOut > 0) this.write('');
  }

  #finish(error: Error | undefined, text: string, done: Done): void {
    if (error === undefined) this.#leftOut = 0;
    else if (this.#options.isData) this.#fail(error);
    else {
      this.#leftOut += Math.max(text === '' ? 0 : 1, text.split('\n').length - 1);
      this.#why = reasonOf(error);
    }
    done(error);
  }

  /** The line that stands for what was left out; it begins a line, since the last write may have been cut. */
  #notice(): string {
    if (this.#leftOut === 0) return '';
    const lines = this.#leftOut === 1 ? '1 line of output was' : `${this.#leftOut} lines of output were`;
    return `\nteams: ${lines} left out here (${this.#why})${this.#hint === '' ? '' : `; ${this.#hint}`}.\n`;
  }

  #writeFile(text: string): Error | undefined {
    try {
      for (let bytes = Buffer.from(text); bytes.length > 0;)
        bytes = bytes.subarray(writeSync(this.#options.descriptor, bytes));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#options.onGone();
  }

  #own(): NodeJS.WriteStream {
    if (this.#stream === undefined) {
      this.#stream = this.#options.descriptor === 1 ? process.stdout : process.stderr;
      this.#stream.on('error', (error: NodeJS.ErrnoException) => {
        if (!this.#options.isData) return;
        if (GONE.has(error.code ?? '')) this.#options.onGone();
        else this.#fail(error);
      });
    }
    return this.#stream;
  }
}

/**
 * Node writes files and devices at once, and gives up a stream at its first error; a file may have room again. Node is
 * asked only about a device that may be a terminal: it loads its network for that.
 */
function kindOf(descriptor: number): 'terminal' | 'file' | 'pipe' {
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isCharacterDevice()) return stat.isFile() ? 'file' : 'pipe';
    return stat.rdev !== statSync(devNull).rdev && isatty(descriptor) ? 'terminal' : 'file';
  } catch {
    return 'pipe';
  }
}

/** `ENOSPC: no space left on device`. */
const reasonOf = (error: Error): string => error.message.replace(/, write$/, '');
