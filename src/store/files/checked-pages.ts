/**
 * A file of pages that is written once and read page by page. Each page has a checksum in the directory at the end of
 * the file, and header and directory have one in the last 64 bytes. What does not fit its checksum is a {@link Doubt}:
 * it is never believed.
 *
 *     pages · header (JSON) · directory (24 bytes a page) · trailer (64 bytes)
 */
import { createHash, randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { codeOf, StoreError } from '../../model/text/errors.ts';
import { FILE_MODE, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY, onDisk, removeFile, type Disk } from './disk.ts';
import { openSeen, syncDirectory, writeWhole } from './file.ts';
import { tempPath } from './temp-files.ts';

/** The file is not what was written: it is damaged, foreign, of another format, or gone. */
export class Doubt extends Error {}

const MAGIC = Buffer.from('teams pages v1\n\n', 'latin1');
const TRAILER = 64;
const ENTRY = 24;
const CHECKSUM = 12;
/** Bytes gathered for one write. */
const GATHERED = 256 * 1024;

const sha256 = (...parts: Buffer[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export class PageWriter {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #fd: number;
  readonly #directory: Buffer[] = [];
  #gathered: Buffer[] = [];
  #size = 0;
  #at = 0;
  #isOpen = true;

  /** @param path a name that no file has */
  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    this.#path = path;
    this.#fd = onDisk('create', path, () => disk.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE));
  }

  add(page: Buffer): void {
    const entry = Buffer.alloc(ENTRY);
    entry.writeDoubleLE(this.#at, 0);
    entry.writeUInt32LE(page.length, 8);
    sha256(page).copy(entry, ENTRY - CHECKSUM, 0, CHECKSUM);
    this.#directory.push(entry);
    this.#put(page);
  }

  /** Writes header, directory and trailer, and makes the file durable. */
  finish(header: object): void {
    const head = Buffer.from(JSON.stringify(header));
    const directory = Buffer.concat(this.#directory);
    const trailer = Buffer.alloc(TRAILER);
    MAGIC.copy(trailer);
    trailer.writeDoubleLE(this.#at, 16);
    trailer.writeUInt32LE(head.length, 24);
    trailer.writeUInt32LE(directory.length, 28);
    sha256(trailer.subarray(0, 32), head, directory).copy(trailer, 32);
    for (const part of [head, directory, trailer]) this.#put(part);
    this.#flush();
    onDisk('sync', this.#path, () => this.#disk.fsyncSync(this.#fd));
    this.#close();
  }

  /** Gives the file up. */
  abandon(): void {
    this.#close();
    removeFile(this.#disk, this.#path);
  }

  #put(bytes: Buffer): void {
    this.#gathered.push(bytes);
    this.#size += bytes.length;
    this.#at += bytes.length;
    if (this.#size >= GATHERED) this.#flush();
  }

  #flush(): void {
    if (this.#size > 0) writeWhole(this.#disk, this.#fd, Buffer.concat(this.#gathered), this.#path);
    this.#gathered = [];
    this.#size = 0;
  }

  #close(): void {
    if (this.#isOpen) this.#disk.closeSync(this.#fd);
    this.#isOpen = false;
  }
}

/**
 * Replaces a file of pages as a whole. The commit point is the rename of a synced temporary file, which is removed if it
 * was not finished, also because the caller takes no further step.
 *
 * @param write adds the pages and finishes the file
 */
export function* replacePages(
  disk: Disk,
  path: string,
  write: (writer: PageWriter) => Generator<undefined>,
): Generator<undefined> {
  const temp = tempPath(path, randomBytes(6).toString('hex'));
  const writer = new PageWriter(disk, temp);
  let isWhole = false;
  try {
    yield* write(writer);
    onDisk('replace', path, () => disk.renameSync(temp, path));
    isWhole = true;
  } finally {
    if (!isWhole) writer.abandon();
  }
  syncDirectory(disk, dirname(path));
}

export class PageReader {
  readonly header: unknown;
  readonly #disk: Disk;
  readonly #fd: number;
  readonly #directory: Buffer;
  #isOpen = true;

  /** @throws Doubt when the file is missing, or is not a finished file of pages */
  constructor(disk: Disk, path: string) {
    this.#disk = disk;
    const { fd, stat } = opened(disk, path);
    this.#fd = fd;
    try {
      const { head, directory } = this.#ends(stat.size);
      this.#directory = directory;
      this.header = JSON.parse(head.toString('utf8'));
    } catch (error) {
      this.close();
      throw error instanceof SyntaxError ? new Doubt('no header', { cause: error }) : error;
    }
  }

  get pages(): number {
    return this.#directory.length / ENTRY;
  }

  /** @throws Doubt when the page is not the one that was written */
  page(number: number): Buffer {
    if (!(number >= 0 && number < this.pages)) throw new Doubt(`no page ${number}`);
    const entry = this.#directory.subarray(number * ENTRY, (number + 1) * ENTRY);
    const bytes = this.#bytes(entry.readDoubleLE(0), entry.readUInt32LE(8));
    if (
      !sha256(bytes)
        .subarray(0, CHECKSUM)
        .equals(entry.subarray(ENTRY - CHECKSUM))
    )
      throw new Doubt(`page ${number} is damaged`);
    return bytes;
  }

  close(): void {
    if (this.#isOpen) this.#disk.closeSync(this.#fd);
    this.#isOpen = false;
  }

  #ends(size: number): { head: Buffer; directory: Buffer } {
    if (size < TRAILER) throw new Doubt('too short');
    const trailer = this.#bytes(size - TRAILER, TRAILER);
    const at = trailer.readDoubleLE(16);
    const length = trailer.readUInt32LE(24);
    const rest = trailer.readUInt32LE(28);
    if (!trailer.subarray(0, 16).equals(MAGIC) || at + length + rest + TRAILER !== size || rest % ENTRY !== 0)
      throw new Doubt('not a finished file of pages');
    const both = this.#bytes(at, length + rest);
    if (!sha256(trailer.subarray(0, 32), both).equals(trailer.subarray(32))) throw new Doubt('the header is damaged');
    return { head: both.subarray(0, length), directory: both.subarray(length) };
  }

  #bytes(at: number, length: number): Buffer {
    if (!this.#isOpen) throw new Doubt('closed');
    const bytes = Buffer.allocUnsafe(length);
    try {
      if (this.#disk.readSync(this.#fd, bytes, 0, length, at) === length) return bytes;
    } catch (error) {
      throw codeOf(error) === undefined ? error : new Doubt('unreadable', { cause: error });
    }
    throw new Doubt('too short');
  }
}

function opened(disk: Disk, path: string): ReturnType<typeof openSeen> {
  try {
    return openSeen(disk, path, O_RDONLY);
  } catch (error) {
    if (error instanceof StoreError) throw new Doubt(error.message, { cause: error });
    throw error;
  }
}
