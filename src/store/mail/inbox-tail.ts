/**
 * Follows an inbox without consuming it: each look yields what came since the last. The inbox becomes a segment when
 * its owner takes it; a file is identified by its inode until it has its own segment name. It is held open as long as
 * it is: the inbox of a team that is made anew may otherwise get the same number.
 */
import type { Message } from '../../model/team/message.ts';
import { lookAt, O_RDONLY, storeFailure, type Disk } from '../files/disk.ts';
import { openIfThere } from '../files/file.ts';
import { segmentsOf, usedBytes } from './inbox-files.ts';
import { lines } from '../files/lines.ts';
import { idFrom, storedLine, toMail } from './mail-lines.ts';
import type { InboxPaths } from '../files/paths.ts';

/** Ids that are remembered, so that a message sent twice is shown once. */
const REMEMBERED = 4_096;
/** If a rename happens between two steps of a look, look again; do not wait for a file that is gone for good. */
const LOOKS = 3;

interface Place {
  readonly ino: number;
  next: number;
}

export class InboxTail {
  readonly #disk: Disk;
  readonly #inbox: InboxPaths;
  #segments = new Map<string, Place>();
  #current: (Place & { readonly fd: number }) | undefined;
  #recent = new Set<string>();
  #isFirst = true;

  constructor(disk: Disk, inbox: InboxPaths) {
    this.#disk = disk;
    this.#inbox = inbox;
  }

  /** What came since the last look, oldest first; the first look yields all that waits. */
  *look(): Generator<Message> {
    for (let looks = 1; looks <= LOOKS; looks += 1) {
      yield* this.#lookAtSegments();
      const isSteady = yield* this.#lookAtInbox(looks === LOOKS);
      if (isSteady) break;
    }
    this.#isFirst = false;
  }

  *#lookAtSegments(): Generator<Message> {
    const known = this.#segments;
    this.#segments = new Map();
    for (const path of segmentsOf(this.#disk, this.#inbox)) {
      const place = known.get(path) ?? this.#newSegment(path);
      if (place === undefined) continue;
      this.#segments.set(path, place);
      yield* this.#read(path, () => place);
    }
  }

  #newSegment(path: string): Place | undefined {
    const ino = lookAt(this.#disk, path)?.ino;
    if (ino === undefined) return undefined;
    if (this.#current?.ino !== ino) return { ino, next: this.#isFirst ? usedBytes(this.#disk, path) : 0 };
    const place = this.#current;
    this.close();
    return place;
  }

  /** Lets go of the file that it holds; a later look begins at the start of the inbox. */
  close(): void {
    if (this.#current !== undefined) this.#disk.closeSync(this.#current.fd);
    this.#current = undefined;
  }

  /** @returns false when the inbox that was followed has become a segment that no look has seen yet */
  *#lookAtInbox(isLast: boolean): Generator<Message, boolean> {
    let isSteady = true;
    yield* this.#read(this.#inbox.inbox, (ino, fd) => {
      if (this.#current?.ino === ino) return this.#current;
      isSteady = isLast || this.#current === undefined;
      if (!isSteady) return undefined;
      this.close();
      return (this.#current = { ino, fd, next: 0 });
    });
    return isSteady;
  }

  *#read(path: string, placeOf: (ino: number, fd: number) => Place | undefined): Generator<Message> {
    const fd = openIfThere(this.#disk, path, O_RDONLY);
    if (fd === undefined) return;
    try {
      const place = placeOf(this.#disk.fstatSync(fd).ino, fd);
      if (place === undefined) return;
      const reader = lines(this.#disk, fd, place.next);
      for (let next = reader.next(); ; next = reader.next()) {
        if (next.done) return;
        place.next = next.value.end;
        for (const mail of [toMail(next.value, path, idFrom(path))].flat())
          if (mail.ok && this.#isNew(storedLine(mail.message).id)) yield mail.message;
      }
    } catch (error) {
      throw storeFailure('read', path, error);
    } finally {
      if (this.#current?.fd !== fd) this.#disk.closeSync(fd);
    }
  }

  /**
   * A line without an id gets one made from its offset. Another inbox has the same offsets, so such ids are not
   * compared.
   */
  #isNew(id: string | undefined): boolean {
    if (id === undefined) return true;
    if (this.#recent.has(id)) return false;
    this.#recent.add(id);
    if (this.#recent.size > 2 * REMEMBERED) this.#recent = new Set([...this.#recent].slice(-REMEMBERED));
    return true;
  }
}
