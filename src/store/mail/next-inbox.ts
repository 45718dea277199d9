/**
 * The inbox file that a reader makes ahead of its next sender. It stays open: when it is taken, it need not be opened
 * again, which would be on the way of its mail. Nor is the name made then that it gets by that.
 */
import { lookAt, O_CREAT, O_RDONLY, type Disk } from '../files/disk.ts';
import { openSeen, type Opened } from '../files/file.ts';
import { newIds } from '../files/new-ids.ts';
import type { InboxPaths } from '../files/paths.ts';

export class NextInbox {
  readonly #disk: Disk;
  readonly #inbox: InboxPaths;
  readonly #newId = newIds();
  #opened: Opened | undefined;
  #id: string | undefined;

  constructor(disk: Disk, inbox: InboxPaths) {
    this.#disk = disk;
    this.#inbox = inbox;
  }

  /**
   * Makes an empty inbox where there is none.
   *
   * @param now milliseconds since 1970
   * @returns whether there is mail already
   */
  make(now: number): boolean {
    this.#id ??= this.#newId(now);
    const stat = lookAt(this.#disk, this.#inbox.inbox);
    if (stat !== undefined) return stat.size > 0;
    this.close();
    this.#opened = openSeen(this.#disk, this.#inbox.inbox, O_RDONLY | O_CREAT);
    return false;
  }

  /** A path that no segment ever had, for what is taken now. */
  freshPath(number: number, now: number): string {
    const id = this.#id ?? this.#newId(now);
    this.#id = undefined;
    return this.#inbox.segment(number, id);
  }

  /** An open descriptor of the file with this inode, until the next call of {@link make}, if it is that inbox. */
  descriptorOf(ino: number | undefined): number | undefined {
    return this.#opened?.stat.ino === ino ? this.#opened?.fd : undefined;
  }

  close(): void {
    if (this.#opened !== undefined) this.#disk.closeSync(this.#opened.fd);
    this.#opened = undefined;
  }
}
