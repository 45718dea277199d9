/** Reads a member's raw output from another process, look by look, across its rotation. */
import { lookAt, O_RDONLY, type Disk } from '../files/disk.ts';
import { chunks, openIfThere } from '../files/file.ts';

export class OutputReader {
  readonly #disk: Disk;
  readonly #path: string;
  #place: { readonly ino: number; next: number } | undefined;

  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
  }

  /** The bytes since the last look. The first look yields the whole present file. */
  *look(): Generator<Buffer> {
    const before = this.#place;
    const ino = lookAt(this.#disk, this.#path)?.ino;
    if (before !== undefined && before.ino !== ino) yield* this.#read(`${this.#path}.1`, before.ino, before.next);
    if (ino === undefined) return;
    this.#place = before?.ino === ino ? before : { ino, next: 0 };
    for (const bytes of this.#read(this.#path, ino, this.#place.next)) {
      this.#place.next += bytes.length;
      yield bytes;
    }
  }

  *#read(path: string, ino: number, from: number): Generator<Buffer> {
    const fd = openIfThere(this.#disk, path, O_RDONLY);
    if (fd === undefined) return;
    try {
      if (this.#disk.fstatSync(fd).ino !== ino) return;
      for (const chunk of chunks(this.#disk, fd, from)) yield Buffer.from(chunk);
    } finally {
      this.#disk.closeSync(fd);
    }
  }
}
