/**
 * The files of the event log. `events.jsonl` is the newest one. When it is large, it is renamed after the number of its
 * first event (`events.0000000000000000.jsonl`), and a new `events.jsonl` continues the numbers:
 *
 *   close (mode 0400) → append `events.ended` → rename → create a file that begins with `events.continued`
 *
 * A file ends at its first `events.ended`, wherever a process stops in between; the next process finishes the steps. A
 * line after it was written by a process that had the file open: that process sees the mode and writes the line again.
 */
import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { newId } from '../files/new-ids.ts';
import * as z from 'zod';
import { safeJson } from '../../model/text/safe-text.ts';
import { timestamp, type Clock } from '../../model/text/clock.ts';
import { StoreError } from '../../model/text/errors.ts';
import { jsonOf } from '../../model/text/plain-fields.ts';
import { FILE_MODE, list, lookAt, O_APPEND, O_RDONLY, O_WRONLY, onDisk, type Disk } from '../files/disk.ts';
import { createOnce, openIfThere, openSeen, using, writeWhole } from '../files/file.ts';
import { endOfLines, RECORD_LIMIT } from '../files/journal.ts';
import { lines, type FileLine } from '../files/lines.ts';
import { removeTempsOf } from '../files/temp-files.ts';

const CLOSED_MODE = 0o400;
const WRITABLE = 0o200;

/** Digits of a number in a file's name: names sort as their numbers do, before `events.jsonl`. */
const DIGITS = 16;

const ENDED = 'events.ended';
const CONTINUED = 'events.continued';

/** Bytes in which the first line of a file is searched. */
const HEAD = 512;

export interface EventFile {
  readonly fd: number;
  readonly ino: number;
  /** The number of its first byte. */
  readonly first: number;
  /** The number after its last line; undefined while lines may be added. */
  end: number | undefined;
}

/** Whether an event is about the files of the log, and not about the team. */
export const isOfTheLog = ({ type }: { readonly type: string }): boolean => type === ENDED || type === CONTINUED;

export const isClosed = ({ mode }: Stats): boolean => (mode & WRITABLE) === 0;

export class EventFiles {
  readonly path: string;
  readonly #disk: Disk;
  readonly #clock: Pick<Clock, 'now'>;

  constructor(disk: Disk, path: string, clock: Pick<Clock, 'now'>) {
    this.path = path;
    this.#disk = disk;
    this.#clock = clock;
  }

  /** The newest file, opened for reading; undefined before the first event, and between two files. */
  newest(): EventFile | undefined {
    const file = this.#open(this.path, (fd) => this.#firstOf(fd));
    if (file) this.settle(file);
    return file;
  }

  /** The file, other than the newest, in which the number is or after which it comes. */
  past(number: number): EventFile | undefined {
    const all = this.#pastFirsts();
    const at = Math.max(
      0,
      all.findLastIndex((first) => first <= number),
    );
    const first = all[at];
    const file = first === undefined ? undefined : this.#open(this.#pastPath(first), () => first);
    if (file === undefined) return undefined;
    file.end = all[at + 1] ?? this.#headOfNewest() ?? file.first + this.#lengthOf(file.fd);
    return file;
  }

  /**
   * Yields the lines of a file from a number on, up to its end.
   *
   * @returns the number after the last line
   */
  *lines(file: EventFile, from: number): Generator<FileLine, number> {
    const reader = lines(this.#disk, file.fd, from - file.first, RECORD_LIMIT);
    for (let next = reader.next(); ; next = reader.next()) {
      if (next.done === true) return file.first + next.value;
      const line = next.value;
      if (file.first + line.at >= (file.end ?? Infinity)) return file.first + line.at;
      if (isEnd(line)) this.settle(file);
      yield { ...line, at: file.first + line.at, end: file.first + line.end };
    }
  }

  /** The number after the last line of a file. */
  endOf(file: EventFile): number {
    this.settle(file);
    return file.end ?? file.first + onDisk('read', this.path, () => endOfLines(this.#disk, file.fd));
  }

  /** Finds where a file ends that was closed since it was opened. */
  settle(file: EventFile): void {
    if (file.end !== undefined || !isClosed(onDisk('look at', this.path, () => this.#disk.fstatSync(file.fd)))) return;
    const end = this.#lineOfEnd(file.fd);
    if (end !== undefined) file.end = file.first + end;
  }

  /** Whether bytes that were appended to a closed file came after its end. Only after {@link finish}. */
  isLate(fd: number, bytes: Buffer): boolean {
    const end = this.#lineOfEnd(fd);
    if (end === undefined) return false;
    return onDisk('read', this.path, () => {
      const rest = Buffer.alloc(Math.max(0, this.#disk.fstatSync(fd).size - end));
      return rest.subarray(0, this.#disk.readSync(fd, rest, 0, rest.length, end)).includes(bytes);
    });
  }

  /**
   * Carries out every step that is missing; only inside the lock of the rotation.
   *
   * @param limit bytes above which an open file is ended
   */
  finish(limit: number): void {
    removeTempsOf(this.#disk, this.path);
    const stat = lookAt(this.#disk, this.path);
    if (stat !== undefined && (isClosed(stat) || stat.size >= limit)) this.#endNewest();
    if (lookAt(this.#disk, this.path) !== undefined) return;
    const last = this.#pastFirsts().at(-1);
    if (last === undefined) return;
    const first = this.#after(last);
    const text = `continues ${basename(this.#pastPath(last))}`;
    createOnce(this.#disk, this.path, `${this.#line({ type: CONTINUED, text, first })}\n`, newId(this.#clock.now()));
  }

  /** Whether there are files before the newest. */
  hasPast(): boolean {
    return this.#pastFirsts().length > 0;
  }

  #endNewest(): void {
    const first = using(this.#disk, openSeen(this.#disk, this.path, O_RDONLY).fd, (fd) => this.#firstOf(fd));
    const past = this.#pastPath(first);
    if (lookAt(this.#disk, past) !== undefined)
      throw new StoreError('CORRUPT', `${past} is in the way of ${this.path}; remove or rename it.`, { path: past });
    this.#seal(this.path);
    onDisk('rename', this.path, () => this.#disk.renameSync(this.path, past));
  }

  /** Closes a file, and writes its end if it has none. */
  #seal(path: string): void {
    const seen = openSeen(this.#disk, path, O_RDONLY);
    const hasEnd = using(this.#disk, seen.fd, (fd) => isClosed(seen.stat) && this.#lineOfEnd(fd) !== undefined);
    if (hasEnd) return;
    if (isClosed(seen.stat)) onDisk('open', path, () => this.#disk.chmodSync(path, FILE_MODE));
    using(this.#disk, openSeen(this.#disk, path, O_WRONLY | O_APPEND).fd, (fd) => {
      onDisk('close', path, () => this.#disk.fchmodSync(fd, CLOSED_MODE));
      const text = `the next events are in ${basename(this.path)}`;
      writeWhole(this.#disk, fd, Buffer.from(`\n${this.#line({ type: ENDED, text })}\n`), path);
    });
  }

  #line(event: object): string {
    return safeJson({ at: timestamp(this.#clock.now()), ...event });
  }

  #open(path: string, first: (fd: number) => number): EventFile | undefined {
    const fd = openIfThere(this.#disk, path, O_RDONLY);
    if (fd === undefined) return undefined;
    try {
      return { fd, ino: this.#disk.fstatSync(fd).ino, first: first(fd), end: undefined };
    } catch (error) {
      this.#disk.closeSync(fd);
      throw error;
    }
  }

  #headOfNewest(): number | undefined {
    const fd = openIfThere(this.#disk, this.path, O_RDONLY);
    return fd === undefined ? undefined : using(this.#disk, fd, () => this.#headOf(fd));
  }

  /** The number that a file's first line gives; a program of the version before may have made a file without one. */
  #headOf(fd: number): number | undefined {
    const head = Buffer.alloc(HEAD);
    const read = onDisk('read', this.path, () => this.#disk.readSync(fd, head, 0, HEAD, 0));
    const [line = ''] = head.toString('utf8', 0, read).split('\n');
    const event = line.includes(CONTINUED) ? parsed(line) : undefined;
    return event?.type === CONTINUED ? event.first : undefined;
  }

  #firstOf(fd: number): number {
    const last = this.#headOf(fd) === undefined ? this.#pastFirsts().at(-1) : undefined;
    return this.#headOf(fd) ?? (last === undefined ? 0 : this.#after(last));
  }

  /** The number after the file that begins with this one. */
  #after(first: number): number {
    const { fd } = openSeen(this.#disk, this.#pastPath(first), O_RDONLY);
    return first + using(this.#disk, fd, () => this.#lengthOf(fd));
  }

  /** The length of a finished file; one without an end was renamed by hand. */
  #lengthOf(fd: number): number {
    return this.#lineOfEnd(fd) ?? this.#disk.fstatSync(fd).size;
  }

  /** The offset after the first {@link ENDED} of a file. */
  #lineOfEnd(fd: number): number | undefined {
    return onDisk('read', this.path, () => {
      for (const line of lines(this.#disk, fd)) if (isEnd(line)) return line.end;
      return undefined;
    });
  }

  #pastPath(first: number): string {
    return join(dirname(this.path), this.#prefix() + String(first).padStart(DIGITS, '0') + SUFFIX);
  }

  #prefix(): string {
    return `${basename(this.path, SUFFIX)}.`;
  }

  /** The first numbers of the files before the newest, ascending. */
  #pastFirsts(): number[] {
    const prefix = this.#prefix();
    return list(this.#disk, dirname(this.path)).flatMap((file) => {
      const digits = file.slice(prefix.length, -SUFFIX.length);
      return file.startsWith(prefix) && file.endsWith(SUFFIX) && /^[0-9]{16}$/.test(digits) ? [Number(digits)] : [];
    });
  }
}

const SUFFIX = '.jsonl';

const isEnd = (line: FileLine): boolean =>
  line.kind === 'text' && line.text.includes(ENDED) && parsed(line.text)?.type === ENDED;

const lineSchema = z.looseObject({ type: z.string(), first: z.number().int().nonnegative().optional() });

const parsed = (line: string): z.infer<typeof lineSchema> | undefined => lineSchema.safeParse(jsonOf(line)).data;
