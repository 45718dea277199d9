/**
 * The event log: every fact that is not on the board. An event's number is the offset of its line in all files of the
 * log together (`event-files.ts`); views are drawn from it.
 */
import type { Clock } from '../../model/text/clock.ts';
import { safeJson } from '../../model/text/safe-text.ts';
import { timestamp } from '../../model/text/clock.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { eventForm } from '../../model/config/plain-documents.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { readBy } from '../../model/text/plain-fields.ts';
import { lookAt, O_APPEND, O_CREAT, O_RDWR, onDisk, storeFailure, type Disk } from '../files/disk.ts';
import { openSeen, writeWhole } from '../files/file.ts';
import type { PinnedDirectory } from '../files/pinned.ts';
import type { Locks } from '../lock/lock.ts';
import { makeRoomFor } from '../lock/lock-directory.ts';
import { EventFiles, isClosed, isOfTheLog, type EventFile } from './event-files.ts';

export interface Numbered {
  /** Offset of the line in bytes; it grows with each event. */
  readonly at: number;
  readonly event: TeamEvent;
}

/** Reads the event log across its files. */
export class EventLogReader {
  protected readonly disk: Disk;
  protected readonly files: EventFiles;
  #newest: EventFile | undefined;
  /** Files that were the newest; a generator may still read one. */
  readonly #former: EventFile[] = [];

  constructor(disk: Disk, path: string, clock: Pick<Clock, 'now'>) {
    this.disk = disk;
    this.files = new EventFiles(disk, path, clock);
  }

  /**
   * Yields events from a number on and skips every line that is not our event. Returns the number to go on with, also
   * after the log got a new file.
   */
  *read(from = 0): Generator<Numbered, number> {
    for (let at = from; ;) {
      const file = this.#fileAt(at);
      if (file === undefined) return at;
      try {
        at = yield* this.#events(file, Math.max(at, file.first));
      } catch (error) {
        throw storeFailure('read', this.files.path, error);
      } finally {
        if (file !== this.#newest && !this.#former.includes(file)) this.disk.closeSync(file.fd);
      }
      if (file.end === undefined) return at;
      at = Math.max(at, file.end);
    }
  }

  /** The event with a number; undefined where none begins, or its file was removed. */
  eventAt(number: number): TeamEvent | undefined {
    const line = this.lineAt(number);
    return line === undefined ? undefined : parseEvent(line);
  }

  /** The text of the line with a number. */
  lineAt(number: number): string | undefined {
    const file = this.#fileAt(number);
    if (file === undefined) return undefined;
    try {
      if (number < file.first) return undefined;
      const next = this.files.lines(file, number).next();
      return next.done !== true && next.value.at === number && next.value.kind === 'text' ? next.value.text : undefined;
    } catch (error) {
      throw storeFailure('read', this.files.path, error);
    } finally {
      if (file !== this.#newest && !this.#former.includes(file)) this.disk.closeSync(file.fd);
    }
  }

  /** How long all files are together, as far as they are known; costs one look at the newest. */
  size(): number {
    const newest = this.#look();
    return newest === undefined ? 0 : newest.first + this.disk.fstatSync(newest.fd).size;
  }

  /** The number after the last event so far. */
  end(): number {
    const newest = this.#look();
    if (newest) return this.files.endOf(newest);
    const last = this.files.past(Infinity);
    if (last === undefined) return 0;
    this.disk.closeSync(last.fd);
    return last.end ?? 0;
  }

  /** Never call this while a {@link read} is under way. */
  close(): void {
    for (const { fd } of [...this.#former.splice(0), ...(this.#newest ? [this.#newest] : [])]) this.disk.closeSync(fd);
    this.#newest = undefined;
  }

  *#events(file: EventFile, from: number): Generator<Numbered, number> {
    const reader = this.files.lines(file, from);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done) return next.value;
      const line = next.value;
      const event = line.kind === 'text' ? parseEvent(line.text) : undefined;
      if (event && !isOfTheLog(event)) yield { at: line.at, event };
    }
  }

  /** The file that has what comes from a number on; undefined when nothing can come yet. */
  #fileAt(number: number): EventFile | undefined {
    const known = this.#newest;
    if (known && number >= known.first && number < this.#limitOf(known)) return known;
    const newest = this.#look();
    if (newest && number >= newest.first) return number < this.#limitOf(newest) ? newest : undefined;
    const past = this.files.past(number);
    if (past === undefined || number < (past.end ?? Infinity)) return past;
    this.disk.closeSync(past.fd);
    return undefined;
  }

  #limitOf(file: EventFile): number {
    this.files.settle(file);
    return file.end ?? Infinity;
  }

  /** The newest file now. One whose folder was moved away since it was opened is still read. */
  #look(): EventFile | undefined {
    const known = this.#newest;
    const ino = lookAt(this.disk, this.files.path)?.ino;
    if (known && (ino === known.ino || (ino === undefined && known.end === undefined))) return known;
    const newest = this.files.newest();
    if (newest === undefined) return undefined;
    if (known) this.#former.push(known);
    this.#newest = newest;
    return newest;
  }
}

/** Bytes after which the log goes on in a new file. */
const FILE_BYTES = 32 * 1024 * 1024;

/**
 * How long a process waits for one that is in the middle of a change of files, in milliseconds. The whole process
 * waits.
 */
const CHANGE_WAIT_MS = 1_000;

/** How long a trouble that lasts is not written again, in milliseconds. */
const REPEAT_MS = 60_000;
/** Troubles that are remembered. */
const MOST_TROUBLES = 100;

interface Writing {
  /** The team's folder, checked before each write. */
  readonly pinned: PinnedDirectory;
  readonly locks: Locks;
  /** The lock in which the log changes to a new file. */
  readonly lock: string;
  readonly fileBytes?: number | undefined;
  readonly lockTimeoutMs?: number | undefined;
}

/** The event log of a process that writes to it. */
export class EventLog extends EventLogReader {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #writing: Writing;
  readonly #limit: number;
  /** When each trouble was written last, in milliseconds since 1970. */
  readonly #troubles = new Map<string, number>();
  #writer: { readonly fd: number; readonly ino: number } | undefined;

  constructor(disk: Disk, path: string, clock: Pick<Clock, 'now'>, writing: Writing) {
    super(disk, path, clock);
    this.#clock = clock;
    this.#writing = writing;
    this.#limit = writing.fileBytes ?? FILE_BYTES;
  }

  /** Appends a fact. Returns a failure of the log itself and never throws it into the work that it reports. */
  append(event: Omit<TeamEvent, 'at'> & { type: string }): Error | undefined {
    try {
      this.#writing.pinned.check();
      this.#write(Buffer.from(`\n${safeJson({ at: timestamp(this.#clock.now()), ...event })}\n`));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /**
   * The same for a trouble that each look meets again: the same one is written once a minute at most, so that the log
   * does not grow by it.
   */
  appendTrouble(event: Omit<TeamEvent, 'at'> & { type: string }): Error | undefined {
    const trouble = safeJson(event);
    const since = this.#clock.now() - (this.#troubles.get(trouble) ?? -Infinity);
    if (since >= 0 && since < REPEAT_MS) return undefined;
    const failure = this.append(event);
    if (failure !== undefined) return failure;
    if (this.#troubles.size >= MOST_TROUBLES) this.#troubles.clear();
    this.#troubles.set(trouble, this.#clock.now());
    return undefined;
  }

  override close(): void {
    this.#closeWriter();
    super.close();
  }

  /** One write, again if the file had come to its end before. */
  #write(bytes: Buffer): void {
    for (let isWritten = false; !isWritten;) {
      const fd = this.#openWriter();
      try {
        writeWhole(this.disk, fd, bytes, this.files.path);
        const stat = onDisk('look at', this.files.path, () => this.disk.fstatSync(fd));
        if (!isClosed(stat)) {
          if (stat.size >= this.#limit) this.#changeFile();
          return;
        }
        this.#finishChange();
        isWritten = !this.files.isLate(fd, bytes);
      } catch (error) {
        this.#closeWriter();
        throw error;
      }
      this.#closeWriter();
    }
  }

  #openWriter(): number {
    const { path } = this.files;
    for (;;) {
      const stat = lookAt(this.disk, path);
      const isUsable = stat !== undefined && !isClosed(stat);
      if (isUsable && this.#writer?.ino === stat.ino) return this.#writer.fd;
      this.#closeWriter();
      if (stat === undefined ? this.files.hasPast() : !isUsable) this.#finishChange();
      try {
        const opened = openSeen(this.disk, path, O_RDWR | O_APPEND | O_CREAT);
        this.#writer = { fd: opened.fd, ino: opened.stat.ino };
        return opened.fd;
      } catch (error) {
        // Another process closed the file in between, and may have made the next one by now.
        const now = lookAt(this.disk, path);
        const isSame = now?.ino === stat?.ino && (now === undefined || !isClosed(now));
        if (!isTeamError(error) || error.code !== 'READ_ONLY' || isSame) throw error;
      }
    }
  }

  /** Goes on in a new file, unless another process is at it. What was written is written, whatever becomes of that. */
  #changeFile(): void {
    try {
      const { locks, lock, pinned } = this.#writing;
      makeRoomFor(this.disk, lock, pinned);
      locks.tryLock(lock, () => this.files.finish(this.#limit));
    } catch (error) {
      // The next event tries again.
      if (!isTeamError(error)) throw error;
    }
  }

  #finishChange(): void {
    const { locks, lock, pinned, lockTimeoutMs = CHANGE_WAIT_MS } = this.#writing;
    makeRoomFor(this.disk, lock, pinned);
    const timeoutMs = Math.min(CHANGE_WAIT_MS, lockTimeoutMs);
    locks.withLockBlocking(lock, () => this.files.finish(this.#limit), { timeoutMs });
  }

  #closeWriter(): void {
    if (this.#writer !== undefined) this.disk.closeSync(this.#writer.fd);
    this.#writer = undefined;
  }
}

function parseEvent(text: string): TeamEvent | undefined {
  try {
    return readBy(eventForm, JSON.parse(text));
  } catch {
    // A torn line is not an event; it stays in the file for people to read.
    return undefined;
  }
}
