/**
 * Reads the member's own inbox: take, use, acknowledge. A take renames the inbox to a fresh segment; each segment has
 * its own acknowledged offset, or is read-only when all of it was used. A segment is removed only when all of it is
 * acknowledged and it has not grown for 3 s, because a foreign writer may still hold it open. Delivery is at least
 * once, in order; a reader hands out an id once.
 *
 *   inbox ─rename→ segment ─read→ handed out ─history, then ack→ acknowledged ─3 s without growth→ removed
 */
import type { Clock } from '../../model/text/clock.ts';
import { codeOf, ConflictError } from '../../model/text/errors.ts';
import type { Message } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { isMissing, lookAt, storeFailure, type Disk } from '../files/disk.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { History } from './mail-history.ts';
import type { Locks } from '../lock/lock.ts';
import type { GoodLine, MailLine } from './mail-lines.ts';
import { NextInbox } from './next-inbox.ts';
import type { InboxPaths, TeamPaths } from '../files/paths.ts';
import { reasonOf, type PinnedDirectory } from '../files/pinned.ts';
import { Receipts } from './receipts.ts';
import { Quarantine } from './quarantine.ts';
import type { Entry, Segment } from './segment.ts';
import { Segments } from './segments.ts';

/** A taken file is kept this long after its last growth, in monotonic milliseconds. */
export const KEEP_MS = 3_000;
/** A segment that was read to its end is looked at again this often while takes go on, for late foreign mail. */
const LATE_MS = 1_000;

export interface ReaderEnvironment {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly locks: Locks;
  /** The team's folder; checked before each write. */
  readonly pinned?: PinnedDirectory;
  /** False once this process is no longer the member's current one; then it takes and acknowledges nothing. */
  readonly isCurrent: () => boolean;
  readonly onBad?: (why: string, file: string) => void;
}

interface Unread {
  readonly unread: readonly Segment[];
  readonly hasMail: boolean;
}

/** A message that was used, and its place. */
interface UsedMail {
  readonly message: Message;
  readonly entry: Entry;
}

export class Reader {
  readonly #inbox: InboxPaths;
  readonly #environment: ReaderEnvironment;
  readonly #history: History;
  readonly #receipts: Receipts;
  readonly #quarantine: Quarantine;
  readonly #segments: Segments;
  readonly #next: NextInbox;
  /** Handed out and not acknowledged, by id. */
  readonly #open = new Map<string, Entry>();
  #hasLooked = false;
  /** Takes come one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isTaking = false;

  constructor(paths: TeamPaths, member: Name, environment: ReaderEnvironment) {
    const { disk, clock } = environment;
    this.#inbox = paths.inbox(member);
    this.#environment = environment;
    this.#history = new History(disk, this.#inbox);
    this.#receipts = new Receipts(disk, this.#inbox, paths.log);
    this.#quarantine = new Quarantine(disk, this.#inbox, clock);
    this.#segments = new Segments(disk, this.#inbox, () => clock.monotonic());
    this.#next = new NextInbox(disk, this.#inbox);
  }

  /**
   * Hands out waiting mail, oldest first, up to `max` messages. Bad lines are set aside on the way.
   *
   * @throws ConflictError `STALE_CLAIM` when another process of this member has taken over; StoreError, `TEAM_GONE` if
   *   the team was archived meanwhile
   */
  take(max = Number.POSITIVE_INFINITY): Promise<Message[]> {
    const taken = this.#turn
      .then(() => this.#take(max))
      .catch((error: unknown) => Promise.reject(reasonOf(this.#environment.pinned, error)));
    this.#turn = taken.catch(() => undefined);
    return taken;
  }

  /**
   * Acknowledges mail after it was used: first the history, synced, then the segments' offsets. A second call does
   * nothing.
   */
  acknowledge(messages: readonly Message[]): void {
    const used: UsedMail[] = [];
    for (const message of messages) {
      const entry = this.#open.get(message.id);
      if (entry) used.push({ message, entry });
    }
    if (used.length === 0) return;
    this.#requireCurrent();
    try {
      this.#keep(used);
    } catch (error) {
      throw reasonOf(this.#environment.pinned, error);
    }
  }

  #keep(used: readonly UsedMail[]): void {
    this.#history.append(used);
    const touched = new Set<Segment>();
    for (const { message, entry } of used) {
      entry.isDone = true;
      this.#open.delete(message.id);
      touched.add(entry.segment);
    }
    for (const segment of touched) segment.advance();
    this.#receipts.append(
      used.map(({ message }) => message.id),
      this.#environment.clock.now(),
    );
  }

  /** True while there are bytes that no take has looked at. */
  hasMore(): boolean {
    this.#segments.notice();
    return this.#inboxSize() > 0 || this.#segments.unread.length > 0;
  }

  /** The periodic look: removes what is finished and quiet, and quarantines a last line that was never ended. */
  tidy(): void {
    if (this.#isTaking || this.#segments.all.length === 0) return;
    const now = this.#segments.notice();
    if (!this.#isCurrent()) return;
    // Write the offsets that could not be written when their mail was acknowledged.
    for (const segment of this.#segments.all) segment.advance();
    const quiet = this.#segments.all.filter((segment) => segment.isQuiet(now, KEEP_MS));
    for (const segment of quiet) if (!segment.close(now)) this.#finish(segment);
  }

  /**
   * For a process that takes once and ends: closes what is acknowledged, and removes what an earlier process closed at
   * least 3 s ago.
   */
  settle(): void {
    if (this.#isTaking || this.#segments.all.length === 0) return;
    const moment = { boot: ownIdentity().bootId, now: this.#segments.notice() };
    if (!this.#isCurrent()) return;
    for (const segment of this.#segments.all) {
      segment.advance();
      if (!segment.isFinished()) continue;
      if (segment.wasClosed(moment, KEEP_MS)) this.#finish(segment);
      else segment.closeFor(moment);
    }
  }

  /**
   * Makes an empty inbox where there is none: so it can be watched, and the next sender need not make it.
   *
   * @returns whether mail came meanwhile
   */
  makeInbox(): boolean {
    return this.#isCurrent() && this.#next.make(this.#environment.clock.now());
  }

  close(): void {
    this.#recordAll();
    this.#history.close();
    this.#receipts.close();
    this.#quarantine.close();
    this.#next.close();
  }

  /** So the next process of this member need not read what this one used. If it fails, it reads that, and no more. */
  #recordAll(): void {
    try {
      if (this.#segments.all.length > 0 && this.#isCurrent())
        for (const segment of this.#segments.all) segment.record();
    } catch {
      // As above: the history has what was used.
    }
  }

  async #take(max: number): Promise<Message[]> {
    this.#isTaking = true;
    try {
      if (!this.#hasLooked) await this.#lookUnderLock();
      this.#segments.notice(LATE_MS);
      const taken: Message[] = [];
      const hasMail = this.#inboxSize() > 0;
      const { unread } = this.#segments;
      if (hasMail || unread.length > 0) await this.#takeInto(taken, max, { unread, hasMail });
      // Another process of this member may have started while this one read: it has the same mail.
      if (taken.length > 0) this.#requireCurrent();
      return taken;
    } finally {
      this.#isTaking = false;
    }
  }

  /** Mail that is already taken is handed out even when a later step fails: the next take meets the failure again. */
  async #takeInto(taken: Message[], max: number, { unread, hasMail }: Unread): Promise<void> {
    try {
      if (unread.length > 0) this.#requireCurrent();
      for (const segment of unread) await this.#readOn(segment, taken, max);
      if (taken.length >= max || !hasMail) return;
      // What comes after the rename rings the bell: the caller hands out what is here first.
      const segment = await this.#rename();
      if (segment !== undefined) await this.#readOn(segment, taken, max);
    } catch (error) {
      // A rename may have happened although it reported a failure: the next take looks for what it left.
      this.#hasLooked = false;
      if (taken.length === 0 || codeOf(error) === 'STALE_CLAIM') throw error;
    }
  }

  #inboxSize(): number {
    return lookAt(this.#environment.disk, this.#inbox.inbox)?.size ?? 0;
  }

  /**
   * The previous process renames only under the lock and while it is current: after this look it adds no more segments.
   */
  async #lookUnderLock(): Promise<void> {
    await this.#environment.locks.withLock(this.#inbox.lock, () => {
      this.#requireCurrent();
      this.#segments.find();
    });
    this.#hasLooked = true;
  }

  async #rename(): Promise<Segment | undefined> {
    const { disk, locks, clock } = this.#environment;
    return locks.withLock(this.#inbox.lock, () => {
      this.#requireCurrent();
      const number = this.#segments.nextNumber;
      const path = this.#next.freshPath(number, clock.now());
      try {
        disk.renameSync(this.#inbox.inbox, path);
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw storeFailure('take', this.#inbox.inbox, error);
      }
      const segment = this.#segments.add(path, number);
      segment.historyAt = this.#history.size;
      return segment;
    });
  }

  async #readOn(segment: Segment, taken: Message[], max: number): Promise<void> {
    if (taken.length >= max || !segment.hasMore()) return;
    const { size } = segment;
    const isRead = segment.takePlain(this.#next.descriptorOf(segment.ino), (line) => {
      this.#accept(segment, line, taken);
      return taken.length < max;
    });
    let hasBad = false;
    if (!isRead && taken.length < max)
      for (const line of segment.unread()) {
        if (line.ok) this.#accept(segment, line, taken);
        else {
          await this.#setAside(segment, line);
          hasBad = true;
        }
        if (taken.length >= max) break;
      }
    if (taken.length < max) segment.scanned(size);
    if (hasBad) this.#quarantine.settle();
    segment.advance();
  }

  /** Hands a message out, unless its id was handed out before. */
  #accept(segment: Segment, { message, end, text }: GoodLine, taken: Message[]): void {
    const { id } = message;
    const isRepeated = this.#open.has(id) || this.#history.has(id);
    const entry = segment.pass(end, isRepeated, text);
    if (isRepeated) return;
    this.#open.set(id, entry);
    taken.push(segment.isOld ? { ...message, redelivered: true } : message);
  }

  async #setAside(segment: Segment, line: MailLine & { ok: false }): Promise<void> {
    await this.#quarantine.setAside(line);
    segment.pass(line.end, true);
    this.#environment.onBad?.(line.why, segment.path);
  }

  #finish(segment: Segment): void {
    if (segment.size > segment.position) {
      if (!segment.hasOnlyTail()) return;
      this.#quarantine.keepTail({ file: segment.path, at: segment.position, end: segment.size });
      this.#environment.onBad?.('a line without an end', segment.path);
    }
    this.#segments.drop(segment);
  }

  #isCurrent(): boolean {
    this.#environment.pinned?.check();
    return this.#environment.isCurrent();
  }

  #requireCurrent(): void {
    if (!this.#isCurrent())
      throw new ConflictError(
        'STALE_CLAIM',
        'Another process of this member has taken over; this one reads no mail any more.',
      );
  }
}
