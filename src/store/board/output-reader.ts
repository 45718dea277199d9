/** Reads a member's raw output from another process, look by look, across its rotation. */
import { lookAt, O_RDONLY, type Disk } from '../files/disk.ts';
import { chunks, openIfThere } from '../files/file.ts';

interface Held {
  readonly fd: number;
  readonly ino: number;
  next: number;
}

export class OutputReader {
  readonly #disk: Disk;
  readonly #path: string;
  /** The file of the last look stays open: what was written before its rotation is read, and its number is not reused. */
  #held: Held | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The bytes since the last look. The first look yields the whole present file. */
  *look(): Generator<Buffer> {
    const ino = lookAt(this.#disk, this.#path)?.ino;
    if (this.#held !== undefined && this.#held.ino !== ino) {
      yield* this.#rest(this.#held);
      this.close();
    }
    this.#held ??= this.#open();
    if (this.#held !== undefined) yield* this.#rest(this.#held);
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
    return fd === undefined ? undefined : { fd, ino: this.#disk.fstatSync(fd).ino, next: 0 };
  }

  *#rest(held: Held): Generator<Buffer> {
    for (const chunk of chunks(this.#disk, held.fd, held.next)) {
      held.next += chunk.length;
      yield Buffer.from(chunk);
    }
  }
}
