/**
 * One taken file: how far it is read, how far acknowledged, and when it last grew. Lines that are handed out and not
 * yet acknowledged are kept in file order, so that the acknowledged offset never passes them.
 */
import { lookAt, O_RDONLY, removeFile, type Disk } from '../files/disk.ts';
import { openIfThere } from '../files/file.ts';
import { ackPath, closeSegment, readAck, readNote, writeAck, writeNote } from './inbox-files.ts';
import { idFrom, mailIn, takePlainMail, type GoodLine, type MailLine } from './mail-lines.ts';

/** A line that was read: its end, what the history keeps of it, and whether it needs no more work. */
export interface Entry {
  readonly segment: Segment;
  readonly end: number;
  /** Undefined for a line without an id of its own. */
  readonly text: string | undefined;
  isDone: boolean;
}

/** Monotonic milliseconds of one boot. */
interface Moment {
  readonly boot: string;
  readonly now: number;
}

export class Segment {
  readonly path: string;
  readonly number: number;
  /** Found, not made, by this process: its mail may have been handed out before. */
  readonly isOld: boolean;
  /** Bytes of the history when this process took the file, until that is noted. */
  historyAt: number | undefined;
  readonly #disk: Disk;
  /** Whether there may be a record of what is acknowledged. */
  #hasAck: boolean;
  #isClosed = false;
  /** Whether each line that was read can be recognized by its id when it is read again. */
  #hasIds = true;
  readonly #entries: Entry[] = [];
  #read: number;
  #acked: number;
  #size = 0;
  #ino: number | undefined;
  /** Scanned up to here, including a last line without a newline. */
  #seen = 0;
  #grewAt: number;

  /** @param now monotonic milliseconds; a found file counts as just grown */
  constructor(disk: Disk, place: { path: string; number: number; isOld: boolean }, now: number) {
    this.#disk = disk;
    this.path = place.path;
    this.number = place.number;
    this.isOld = place.isOld;
    this.#hasAck = place.isOld;
    this.#acked = place.isOld ? readAck(disk, place.path) : 0;
    this.#read = this.#acked;
    this.#grewAt = now;
  }

  /** Where the next line begins. */
  get position(): number {
    return this.#read;
  }

  get size(): number {
    return this.#size;
  }

  /** The inode of the file, if it has no other name. */
  get ino(): number | undefined {
    return this.#ino;
  }

  /** Whether the last {@link notice} saw bytes that are not yet scanned. */
  hasMore(): boolean {
    return this.#size > Math.max(this.#read, this.#seen);
  }

  /** Reads the size of the file. */
  notice(now: number): void {
    const stat = lookAt(this.#disk, this.path);
    const size = stat?.size ?? 0;
    this.#ino = stat?.nlink === 1 ? stat.ino : undefined;
    if (size === this.#size) return;
    this.#size = size;
    this.#grewAt = now;
  }

  /**
   * Passes on the lines from the position on while they are plain mail; each must be {@link pass}ed.
   *
   * @param descriptor of the file, if it is open
   * @returns whether that was all that the last {@link notice} saw
   */
  takePlain(descriptor: number | undefined, take: (line: GoodLine) => boolean): boolean {
    const fd = descriptor ?? openIfThere(this.#disk, this.path, O_RDONLY);
    if (fd === undefined) return false;
    try {
      return takePlainMail(this.#disk, fd, { file: this.path, at: this.#read, end: this.#size }, take);
    } finally {
      if (descriptor === undefined) this.#disk.closeSync(fd);
    }
  }

  /** The lines from the position on; each must be {@link pass}ed before the next. */
  unread(): Generator<MailLine, number> {
    return mailIn(this.#disk, this.path, this.#read, idFrom(this.path));
  }

  /** All of {@link unread} was read. @param size of the file before that, in bytes */
  scanned(size: number): void {
    this.#seen = size;
  }

  /**
   * Moves past a line.
   * @param isDone false when the line was handed out and must be acknowledged first
   */
  pass(end: number, isDone: boolean, text?: string): Entry {
    const entry = { segment: this, end, isDone, text };
    this.#entries.push(entry);
    this.#hasIds &&= text !== undefined;
    this.#read = end;
    return entry;
  }

  /**
   * Writes down how far everything is acknowledged. If all of it is, the file is closed instead: that needs no new file,
   * and the history recognizes each of its ids.
   * @throws StoreError; then the next call does it
   */
  advance(): void {
    const open = this.#entries.findIndex(({ isDone }) => !isDone);
    const done = open < 0 ? this.#entries.length : open;
    const reached = this.#entries[done - 1]?.end ?? this.#acked;
    if (reached === this.#acked) return;
    if (this.#hasAck || !this.#hasIds || reached !== this.#size) this.#record(reached);
    else this.#close();
    this.#acked = reached;
    this.#entries.splice(0, done);
  }

  /** Records what is acknowledged of a file that says so only by being closed: the next process need not read it again. */
  record(): void {
    if (this.#acked > 0 && !this.#hasAck) this.#record(this.#acked);
  }

  #record(offset: number): void {
    this.#hasAck = true;
    writeAck(this.#disk, this.path, offset);
    if (this.historyAt !== undefined) writeNote(this.#disk, this.path, { history: this.historyAt });
    this.historyAt = undefined;
  }

  #close(): void {
    if (!this.#isClosed) closeSegment(this.#disk, this.path);
    this.#isClosed = true;
  }

  /** Whether all that was read is acknowledged, and the file has not grown for `keepMs` milliseconds. */
  isQuiet(now: number, keepMs: number): boolean {
    return this.#acked === this.#read && now - this.#grewAt >= keepMs;
  }

  /**
   * Closes the file: after this, no sender of ours counts on what it writes there.
   * @returns whether the file has grown since the last look
   */
  close(now: number): boolean {
    const before = this.#size;
    this.#close();
    this.notice(now);
    return this.#size !== before;
  }

  /** Whether all that is in the file, but for a last line without an end, was read and acknowledged. */
  isFinished(): boolean {
    return this.#acked === this.#read && !this.hasMore();
  }

  /**
   * Whether a process closed the file at least `keepMs` milliseconds ago, and it has not grown since. After a reboot no
   * writer is left.
   */
  wasClosed({ boot, now }: Moment, keepMs: number): boolean {
    const { closed } = readNote(this.#disk, this.path);
    if (closed?.size !== this.#size) return false;
    return closed.boot !== boot || now - closed.at >= keepMs;
  }

  /** Closes the file and notes when, for a later process. */
  closeFor({ boot, now }: Moment): void {
    this.record();
    const { history, closed } = readNote(this.#disk, this.path);
    if (closed?.size === this.#size && closed.boot === boot && closed.at <= now) return;
    if (this.close(now)) return;
    this.#hasAck = true;
    writeNote(this.#disk, this.path, { history, closed: { boot, at: now, size: this.#size } });
  }

  /** Whether the rest is at most the beginning of a line. */
  hasOnlyTail(): boolean {
    const unread = this.unread();
    const isTail = unread.next().done === true;
    unread.return(0);
    return isTail;
  }

  remove(): void {
    removeFile(this.#disk, this.path);
    if (this.#hasAck) removeFile(this.#disk, ackPath(this.path));
  }
}
