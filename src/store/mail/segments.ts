/**
 * The taken files of one inbox that this process reads: found at the start, added by each take, dropped when finished.
 */
import { join } from 'node:path';
import { list, lookAt, removeFile, type Disk } from '../files/disk.ts';
import { numberOf, segmentsOf } from './inbox-files.ts';
import type { InboxPaths } from '../files/paths.ts';
import { Segment } from './segment.ts';

export class Segments {
  readonly #disk: Disk;
  readonly #inbox: InboxPaths;
  readonly #monotonic: () => number;
  #all: Segment[] = [];
  /** Those that may have more; the others can only grow, which {@link notice} sees. Oldest first. */
  #unread: Segment[] = [];
  #noticedAt = Number.NEGATIVE_INFINITY;

  constructor(disk: Disk, inbox: InboxPaths, monotonic: () => number) {
    this.#disk = disk;
    this.#inbox = inbox;
    this.#monotonic = monotonic;
    this.find();
    this.#dropLostAcks();
  }

  /** Oldest first. */
  get all(): readonly Segment[] {
    return this.#all;
  }

  get nextNumber(): number {
    return (this.#all.at(-1)?.number ?? 0) + 1;
  }

  /** Those that have bytes which are not read yet, as the last look saw them; oldest first. */
  get unread(): readonly Segment[] {
    return (this.#unread = this.#unread.filter((segment) => segment.hasMore()));
  }

  /** Adds segments on disk that are not known yet: another process of this member took them. */
  find(): void {
    const known = new Set(this.#all.map(({ path }) => path));
    for (const path of segmentsOf(this.#disk, this.#inbox))
      if (!known.has(path)) this.#open(path, numberOf(this.#inbox, path), true);
    this.#all.sort((one, other) => one.number - other.number);
    this.#unread = [...this.#all];
  }

  /** Adds a segment that was just made. */
  add(path: string, number: number): Segment {
    return this.#open(path, number, false);
  }

  drop(segment: Segment): void {
    segment.remove();
    this.#all = this.#all.filter((other) => other !== segment);
    this.#unread = this.#unread.filter((other) => other !== segment);
  }

  /**
   * Reads every size, unless that was done less than `every` milliseconds ago: a foreign writer may still append to a
   * file that was read to its end.
   *
   * @returns monotonic milliseconds
   */
  notice(every = 0): number {
    const now = this.#monotonic();
    if (now - this.#noticedAt < every) return now;
    for (const segment of this.#all) segment.notice(now);
    this.#unread = [...this.#all];
    this.#noticedAt = now;
    return now;
  }

  #open(path: string, number: number, isOld: boolean): Segment {
    const now = this.#monotonic();
    const segment = new Segment(this.#disk, { path, number, isOld }, now);
    segment.notice(now);
    this.#all.push(segment);
    this.#unread.push(segment);
    return segment;
  }

  /** Removes offsets without a segment: a crash between the two removals leaves one. */
  #dropLostAcks(): void {
    const { directory, takenPrefix } = this.#inbox;
    for (const file of list(this.#disk, directory)) {
      if (!file.startsWith(takenPrefix) || !file.endsWith('.ack')) continue;
      const path = join(directory, file);
      if (!lookAt(this.#disk, `${path.slice(0, -'.ack'.length)}.jsonl`)) removeFile(this.#disk, path);
    }
  }
}
