/**
 * Where bad lines go: `<name>_inbox.bad.jsonl`, each with its reason. A line too long for a record gets its own file;
 * while it is copied, the event loop can run in between.
 */
import { basename } from 'node:path';
import { newId } from '../files/new-ids.ts';
import type { Clock } from '../../model/text/clock.ts';
import { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY, onDisk, removeFile, type Disk } from '../files/disk.ts';
import { chunks, openOurs, using, writeWhole } from '../files/file.ts';
import { Journal } from '../files/journal.ts';
import { idFrom, RAW_LIMIT } from './mail-lines.ts';
import type { InboxPaths } from '../files/paths.ts';

interface BadLine {
  readonly why: string;
  readonly file: string;
  readonly at: number;
  readonly end: number;
  /** The line, if it is short. */
  readonly raw: string;
}

/** Bytes copied before other work may run. */
const STRIDE = 4 * 1024 * 1024;

export class Quarantine {
  readonly #disk: Disk;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #inbox: InboxPaths;
  readonly #journal: Journal;

  constructor(disk: Disk, inbox: InboxPaths, clock: Pick<Clock, 'now'>) {
    this.#disk = disk;
    this.#clock = clock;
    this.#inbox = inbox;
    this.#journal = new Journal(disk, inbox.bad, { create: true });
  }

  /**
   * Sets a line aside; {@link settle} makes that durable.
   * @throws StoreError: then the line stays where it is
   */
  async setAside(bad: BadLine): Promise<void> {
    this.#note(bad, bad.raw === '' ? { file: await this.#copy(bad) } : { line: bad.raw });
  }

  /** Keeps a last line that was never ended. If it is long, the file itself is kept, under another name. */
  keepTail({ file, at, end }: Omit<BadLine, 'why' | 'raw'>): void {
    const bad = { why: 'a line without an end', file, at, end };
    const isLong = end - at > RAW_LIMIT;
    const path = this.#newCopy();
    this.#note(bad, isLong ? { file: basename(path) } : { line: this.#readTail(file, at, end) });
    this.settle();
    if (isLong) onDisk('keep', file, () => this.#disk.renameSync(file, path));
  }

  settle(): void {
    this.#journal.sync();
  }

  close(): void {
    this.#journal.close();
  }

  #note({ why, file, at, end }: Omit<BadLine, 'raw'>, kept: { line: string } | { file: string }): void {
    const from = idFrom(file)(at);
    this.#journal.append({ why, at: this.#clock.now() / 1000, from, bytes: end - at, ...kept });
  }

  #newCopy(): string {
    return this.#inbox.oversized(newId(this.#clock.now()));
  }

  #readTail(file: string, at: number, end: number): string {
    const buffer = Buffer.alloc(end - at);
    return using(this.#disk, openOurs(this.#disk, file, O_RDONLY), (fd) =>
      buffer.toString(
        'utf8',
        0,
        onDisk('read', file, () => this.#disk.readSync(fd, buffer, 0, buffer.length, at)),
      ),
    );
  }

  /** @returns the name of the copy */
  async #copy({ file, at, end }: BadLine): Promise<string> {
    const path = this.#newCopy();
    const from = openOurs(this.#disk, file, O_RDONLY);
    try {
      const to = openOurs(this.#disk, path, O_WRONLY | O_CREAT | O_EXCL);
      try {
        for (let begin = at; begin < end; begin += STRIDE) {
          onDisk('copy', file, () => this.#copyPart(from, to, path, begin, Math.min(end, begin + STRIDE)));
          await new Promise((resolve) => setImmediate(resolve));
        }
      } catch (error) {
        removeFile(this.#disk, path);
        throw error;
      } finally {
        this.#disk.closeSync(to);
      }
    } finally {
      this.#disk.closeSync(from);
    }
    return basename(path);
  }

  #copyPart(from: number, to: number, path: string, begin: number, end: number): void {
    let left = end - begin;
    for (const chunk of chunks(this.#disk, from, begin)) {
      if (left <= 0) return;
      writeWhole(this.#disk, to, chunk.subarray(0, Math.min(chunk.length, left)), path);
      left -= chunk.length;
    }
  }
}
