/** Reads a member's raw output from another process, look by look, across its rotation. */
import { lookAt, O_RDONLY, type Disk } from '../files/disk.ts';
import { chunks, openIfThere } from '../files/file.ts';

interface Held {
  readonly fd: number;
  readonly ino: number;
  next: number;
}

/** A byte of an output's file. */
export interface OutputPlace {
  /** The file's number. */
  readonly file: number;
  readonly byte: number;
}

export class OutputReader {
  readonly #disk: Disk;
  readonly #path: string;
  #from: number;
  /** The file of the last look stays open: what was written before its rotation is read, and its number is not reused. */
  #held: Held | undefined;

  /** @param from the first byte of the present file that is read */
  constructor(disk: Disk, path: string, from = 0) {
    this.#disk = disk;
    this.#path = path;
    this.#from = from;
  }

  /**
   * The bytes since the last look. The first look yields the whole present file.
   *
   * @param until what follows this place waits for a later look
   */
  *look(until?: OutputPlace): Generator<Buffer> {
    const ino = lookAt(this.#disk, this.#path)?.ino;
    if (this.#held !== undefined && this.#held.ino !== ino) {
      yield* this.#rest(this.#held, until);
      if (this.#held.ino === until?.file) return;
      this.close();
    }
    this.#held ??= this.#open();
    if (this.#held !== undefined) yield* this.#rest(this.#held, until);
  }

  /** Leaves out what is there now. */
  skip(): void {
    this.#held ??= this.#open();
    if (this.#held !== undefined) this.#held.next = this.#disk.fstatSync(this.#held.fd).size;
  }

  close(): void {
    if (this.#held !== undefined) this.#disk.closeSync(this.#held.fd);
    this.#held = undefined;
  }

  #open(): Held | undefined {
    const fd = openIfThere(this.#disk, this.#path, O_RDONLY);
    if (fd === undefined) return undefined;
    const next = this.#from;
    this.#from = 0;
    return { fd, ino: this.#disk.fstatSync(fd).ino, next };
  }

  *#rest(held: Held, until: OutputPlace | undefined): Generator<Buffer> {
    const end = until?.file === held.ino ? until.byte : Number.POSITIVE_INFINITY;
    for (const chunk of chunks(this.#disk, held.fd, held.next)) {
      const bytes = chunk.subarray(0, Math.max(0, end - held.next));
      if (bytes.length === 0) return;
      held.next += bytes.length;
      yield Buffer.from(bytes);
    }
  }
}
