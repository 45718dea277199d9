/**
 * An append-only file of records with one total order: the primitive under the board, the inboxes and the event log. A
 * record is `"\n" + JSON + "\n"` in one `write` on an `O_APPEND` descriptor, without a lock. The leading newline keeps
 * the torn end of a killed writer from swallowing the record.
 */
import { safeJson } from '../../model/text/safe-text.ts';
import { isAscii } from 'node:buffer';
import { dirname } from 'node:path';
import { StoreError } from '../../model/text/errors.ts';
import { isMissing, lookAt, O_APPEND, O_CREAT, O_RDONLY, O_WRONLY, onDisk, storeFailure, type Disk } from './disk.ts';
import { chunks, openIfThere, openSeen, syncDirectory, writeWhole, type Opened } from './file.ts';
import { LINE_LIMIT, lines, linesIn, takeLinesOf, type FileLine, type TakeLine } from './lines.ts';

interface Appended {
  readonly durable?: boolean;
}

interface JournalOptions {
  /**
   * Whether an append may create the file. `once`: only the first one may. If a journal that must exist is missing, or
   * is no longer the file that was opened, the error is `TEAM_GONE`; it is never created again.
   */
  readonly create?: boolean | 'once';
}

/** Bytes that distinguish two records: id, time and author of most. */
const RECOGNISED = 256;

const NOTHING = Buffer.alloc(0);

/**
 * Bytes that a reader who follows a journal asks for at once, with what it recognizes: all that others write while it
 * waits for a processor.
 */
const NEWS = 32 * 1024;

/** Longest record that is read: a batch with a whole plan. */
export const RECORD_LIMIT = 64 * LINE_LIMIT;

export class Journal {
  readonly path: string;
  readonly #disk: Disk;
  #create: boolean | 'once';
  #writer: { readonly fd: number; readonly ino: number; isNamed: boolean } | undefined;
  #reader: number | undefined;
  #remembered: { readonly offset: number; readonly bytes: Buffer } | undefined;
  #news: Buffer | undefined;

  constructor(disk: Disk, path: string, { create = false }: JournalOptions = {}) {
    this.#disk = disk;
    this.path = path;
    this.#create = create;
  }

  /**
   * Appends one record. After a short write or a failed sync nothing is undone: the caller appends the same record
   * again, and its reader recognizes the repetition by the record's id.
   *
   * @throws StoreError `NO_SPACE`, `READ_ONLY` or `IO`: it is then unknown whether the record is in the file;
   * `TEAM_GONE`
   */
  append(record: object, options: Appended = {}): void {
    this.appendText(safeJson(record), options);
  }

  /** Appends records that are already text, one per line, in one write. */
  appendText(text: string, { durable = false }: Appended = {}): void {
    const { fd } = this.#openWriter();
    try {
      writeWhole(this.#disk, fd, Buffer.from(`\n${text}\n`), this.path);
      if (durable) this.sync();
    } catch (error) {
      // A failed sync may be reported only once: the next try uses a new descriptor.
      this.#closeWriter();
      throw error;
    }
  }

  /** Makes durable what this object appended, and the file's name if it may be new. */
  sync(): void {
    const writer = this.#writer;
    if (writer === undefined) return;
    onDisk('sync', this.path, () => this.#disk.fdatasyncSync(writer.fd));
    if (!writer.isNamed) syncDirectory(this.#disk, dirname(this.path));
    writer.isNamed = true;
  }

  /**
   * Yields the complete lines from an offset on; returns the offset after the last of them.
   *
   * @throws StoreError `TEAM_GONE` when a journal that must exist is missing
   */
  *read(from = 0): Generator<FileLine, number> {
    this.#reader ??= this.#openReader();
    if (this.#reader === undefined && this.#create === false) throw gone(this.path);
    try {
      return this.#reader === undefined ? from : yield* lines(this.#disk, this.#reader, from, RECORD_LIMIT);
    } catch (error) {
      throw storeFailure('read', this.path, error);
    }
  }

  /**
   * Passes on the complete lines from an offset on, for a caller that comes again and again: makes sure first that what
   * it read before is still there, in the same call to the system, and remembers what it has read to the end.
   *
   * @param replaced the error when the part that was read is another one now
   * @param take gets each line; false: it is not taken, and nothing after it
   * @returns the offset after the last of them; undefined if one was not taken
   */
  follow(from: number, replaced: () => Error, take: TakeLine): number | undefined {
    const reader = (this.#reader ??= this.#openReader());
    if (reader === undefined && this.#create === false) throw gone(this.path);
    if (reader === undefined) return from;
    if (this.#remembered?.offset !== from && !this.isAsRemembered()) throw replaced();
    const known = this.#remembered?.offset === from ? this.#remembered.bytes : NOTHING;
    const news = (this.#news ??= Buffer.allocUnsafe(NEWS));
    const begin = from - known.length;
    const read = this.#readNews(reader, news, begin);
    if (known.compare(news, 0, Math.min(read, known.length)) !== 0) throw replaced();
    if (read === known.length) return from;
    const came = news.subarray(known.length, read);
    // Nearly always it is all that came, and ASCII.
    const next =
      read < NEWS && isAscii(came)
        ? takeLinesOf(came.toString('latin1'), from, take)
        : this.#takeAll(came, { reader, from, isAll: read < NEWS }, take);
    if (next !== undefined && next > from && next <= begin + read) this.#keep(next, news.subarray(0, next - begin));
    return next;
  }

  #readNews(reader: number, news: Buffer, begin: number): number {
    try {
      return this.#disk.readSync(reader, news, 0, NEWS, begin);
    } catch (error) {
      throw storeFailure('read', this.path, error);
    }
  }

  #takeAll(
    first: Buffer,
    { reader, from, isAll }: { readonly reader: number; readonly from: number; readonly isAll: boolean },
    take: TakeLine,
  ): number | undefined {
    const pieces = isAll ? [first] : andThen(first, chunks(this.#disk, reader, from + first.length));
    const found = linesIn(pieces, from, RECORD_LIMIT);
    for (;;) {
      const next = onDisk('read', this.path, () => found.next());
      if (next.done === true) return next.value;
      if (!take(next.value)) return undefined;
    }
  }

  /** Whether nothing follows what a caller has read by {@link follow}, up to an offset, and that is still there. */
  endsAt(offset: number): boolean {
    const [known, fd] = [this.#remembered, this.#reader];
    if (known?.offset !== offset || fd === undefined) return false;
    const { bytes } = known;
    const news = (this.#news ??= Buffer.allocUnsafe(NEWS));
    const read = onDisk('read', this.path, () =>
      this.#disk.readSync(fd, news, 0, bytes.length + 1, offset - bytes.length),
    );
    return read === bytes.length && bytes.equals(news.subarray(0, read));
  }

  /** The offset after the last complete line; searched from the end, so the length of the file does not matter. */
  end(): number {
    this.#reader ??= this.#openReader();
    const fd = this.#reader;
    return fd === undefined ? 0 : onDisk('read', this.path, () => endOfLines(this.#disk, fd));
  }

  /** Size and identity of the file that this object reads; undefined when it is missing. */
  look(): { readonly size: number; readonly ino: number } | undefined {
    this.#reader ??= this.#openReader();
    const fd = this.#reader;
    return fd === undefined ? undefined : onDisk('look at', this.path, () => this.#disk.fstatSync(fd));
  }

  /** Bytes at an offset; fewer at the end of the file. */
  bytes(from: number, length: number): Buffer {
    this.#reader ??= this.#openReader();
    const fd = this.#reader;
    const buffer = Buffer.alloc(length);
    const read =
      fd === undefined ? 0 : onDisk('read', this.path, () => this.#disk.readSync(fd, buffer, 0, length, from));
    return buffer.subarray(0, read);
  }

  /** Remembers the bytes before an offset, up to which a caller has read. */
  remember(offset: number): void {
    if (this.#remembered?.offset === offset) return;
    this.#remembered = undefined;
    const length = Math.min(offset, RECOGNISED);
    this.#keep(offset, this.bytes(offset - length, length));
  }

  /** Whether the bytes that were remembered are still there: a file that only grows keeps them. */
  isAsRemembered(): boolean {
    const known = this.#remembered;
    if (known === undefined) return true;
    const { offset, bytes } = known;
    return bytes.equals(this.bytes(offset - bytes.length, bytes.length));
  }

  /** Never call this while a {@link read} is under way. */
  close(): void {
    this.#closeWriter();
    if (this.#reader !== undefined) this.#disk.closeSync(this.#reader);
    this.#reader = undefined;
  }

  /** @param before the bytes before the offset, as many as are at hand */
  #keep(offset: number, before: Buffer): void {
    this.#remembered = { offset, bytes: Buffer.from(before.subarray(-RECOGNISED)) };
  }

  /** Most that are asked again and again, and are missing, are missing for long: a look costs no exception. */
  #openReader(): number | undefined {
    return lookAt(this.#disk, this.path) && openIfThere(this.#disk, this.path, O_RDONLY);
  }

  #openWriter(): { readonly fd: number } {
    if (this.#writer && lookAt(this.#disk, this.path)?.ino !== this.#writer.ino) this.#leave();
    if (this.#writer) return this.#writer;
    const { fd, stat } = this.#open();
    // The process that created the file may have died before its name was durable.
    this.#writer = { fd, ino: stat.ino, isNamed: this.#create === false };
    if (this.#create === 'once') this.#create = false;
    return this.#writer;
  }

  #open(): Opened {
    try {
      return openSeen(this.#disk, this.path, O_WRONLY | O_APPEND | (this.#create === false ? 0 : O_CREAT));
    } catch (error) {
      if (this.#create === false && isMissing(error instanceof Error ? error.cause : error)) throw gone(this.path);
      throw error;
    }
  }

  /** The file that was opened is no longer at its path. */
  #leave(): void {
    this.#closeWriter();
    if (this.#create === false) throw gone(this.path);
  }

  #closeWriter(): void {
    if (this.#writer !== undefined) this.#disk.closeSync(this.#writer.fd);
    this.#writer = undefined;
  }
}

function* andThen(first: Buffer, rest: Iterable<Buffer>): Generator<Buffer> {
  yield first;
  yield* rest;
}

/** The lines of a journal. */
export function linesOf(disk: Disk, path: string): string[] {
  const journal = new Journal(disk, path);
  try {
    return [...journal.read()].flatMap((line) => (line.kind === 'text' ? [line.text] : []));
  } finally {
    journal.close();
  }
}

/** Bytes searched at once, from the end on. */
const STRIDE = 64 * 1024;
const NEWLINE = 10;

/** The offset after the last newline. */
export function endOfLines(disk: Disk, fd: number): number {
  const buffer = Buffer.allocUnsafe(STRIDE);
  for (let end = disk.fstatSync(fd).size; end > 0; end = Math.max(0, end - STRIDE)) {
    const from = Math.max(0, end - STRIDE);
    const read = disk.readSync(fd, buffer, 0, end - from, from);
    const last = buffer.subarray(0, read).lastIndexOf(NEWLINE);
    if (last >= 0) return from + last + 1;
  }
  return 0;
}

const gone = (path: string): StoreError =>
  new StoreError('TEAM_GONE', `${path} was removed or replaced while the team was running.`, { path });
