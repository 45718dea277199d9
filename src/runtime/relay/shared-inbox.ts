/** The inbox of one member in a replica, and what the store says of it. */
import { randomBytes } from 'node:crypto';
import { mailMarks, type MailMarks } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import { livenessOf } from '../../os/process-table.ts';
import type { EngineMail } from '../../store/engine/engine-rows.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { lookAt, removeFile, type Disk } from '../../store/files/disk.ts';
import { createOnce } from '../../store/files/file.ts';
import { newId } from '../../store/files/new-ids.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import type { Locks } from '../../store/lock/lock.ts';
import { createBell, hasBell } from '../../store/mail/bell.ts';
import { ackPath, numberOf, segmentsOf } from '../../store/mail/inbox-files.ts';
import { waitingMail } from '../../store/mail/inbox-view.ts';
import { usedIds } from '../../store/mail/mail-history.ts';
import { mailIn } from '../../store/mail/mail-lines.ts';
import { isControl } from '../../store/mail/outgoing.ts';
import type { Sender } from '../../store/mail/sender.ts';
import { leaseOwner } from '../../store/team/lease.ts';
import { bringBlob } from './bring-texts.ts';

export interface MailPlace {
  readonly disk: Disk;
  readonly paths: TeamPaths;
  readonly locks: Locks;
  readonly sender: Sender;
  /** Its id in the store. */
  readonly team: string;
  readonly now: () => number;
}

/** What an inbox asks of the store. */
interface MailSession extends Pick<EngineSession, 'kept'> {
  readonly mail: Pick<EngineSession['mail'], 'acknowledge' | 'after' | 'waiting'>;
}

export class SharedInbox {
  readonly #place: MailPlace;
  readonly #member: Name;
  /** In an inbox here, and not acknowledged in the store; undefined until the files were read. */
  #open: Set<string> | undefined;
  /** All mail of the store up to this number is here or acknowledged. */
  #last = 0;
  /** How much was acknowledged in the store when that was compared with what is here. */
  #used: number | undefined;
  /** How much of the history is known. */
  #history = 0;

  constructor(place: MailPlace, member: Name) {
    this.#place = place;
    this.#member = member;
  }

  /**
   * @param look `isElsewhere`: its process runs on another machine, where its mail is; `isWhole`: the store is also told
   *   what was used
   */
  async sync(
    session: MailSession,
    known: { readonly last: number; readonly used: number },
    { isElsewhere, isWhole }: { readonly isElsewhere: boolean; readonly isWhole: boolean },
  ): Promise<void> {
    if (isElsewhere) {
      await this.acknowledge(session);
      return this.#clear();
    }
    // Both numbers are of one moment, before anything is acknowledged.
    await this.#compare(session, known.used);
    if (known.last > this.#last) {
      await this.#deliver(session, (arrived) => this.#put(arrived));
      this.#last = Math.max(this.#last, known.last);
    }
    if (isWhole) await this.acknowledge(session);
  }

  /**
   * A process of this machine has become the member, and reads no mail yet.
   *
   * @param wasElsewhere its last process ran on another machine and may have used mail that it did not acknowledge
   */
  async begin(session: MailSession, wasElsewhere: boolean): Promise<void> {
    createBell(this.#place.disk, this.#inbox.bell);
    await this.acknowledge(session);
    const waiting = await session.mail.waiting(this.#place.team, this.#member);
    if (wasElsewhere || this.#isStale(waiting)) await this.#remove();
    await this.#deliver(session, (arrived) => (wasElsewhere ? this.#putTaken(arrived) : this.#put(arrived)));
  }

  /** All mail up to this number is here, or acknowledged. */
  get last(): number {
    return this.#last;
  }

  /**
   * Delivers mail that was sent just now.
   *
   * @param mail what waits after number `after`
   * @param page.isAll whether that is all of it
   */
  async arrive(
    session: MailSession,
    mail: readonly EngineMail[],
    { after, isAll }: { readonly after: number; readonly isAll: boolean },
  ): Promise<void> {
    const news = mail.filter(({ number }) => number > this.#last);
    if (news.length === 0) return;
    const put: Put = (arrived) => this.#put(arrived);
    // Others have sent between; or it was made anew meanwhile.
    if (after > this.#last) return this.#deliver(session, put);
    await this.#receive(session, news, put);
    if (!isAll) await this.#deliver(session, put);
  }

  /** Tells the store what was used here. */
  async acknowledge(session: MailSession): Promise<void> {
    const { team } = this.#place;
    const open = this.#known();
    const size = lookAt(this.#place.disk, this.#inbox.history)?.size ?? 0;
    if (size === this.#history) return;
    const ids: string[] = [];
    let end = this.#history;
    for (const line of mailIn(this.#place.disk, this.#inbox.history, this.#history)) {
      end = line.end;
      if (line.ok && open.has(line.message.id)) ids.push(line.message.id);
    }
    if (ids.length > 0) {
      const done = await session.mail.acknowledge(team, this.#member, '', ids);
      if (this.#used !== undefined) this.#used += done;
      for (const id of ids) open.delete(id);
    }
    this.#history = end;
  }

  get #inbox() {
    return this.#place.paths.inbox(this.#member);
  }

  /** What is here, as the files say: also what was used and perhaps not acknowledged. */
  #known(): Set<string> {
    if (this.#open) return this.#open;
    const { disk } = this.#place;
    const used = usedIds(disk, this.#inbox);
    const size = lookAt(disk, this.#inbox.history)?.size ?? 0;
    this.#history = Math.max(0, size - RECENT_BYTES);
    this.#open = new Set([...used, ...[...waitingMail(disk, this.#inbox)].map(({ id }) => id)]);
    return this.#open;
  }

  /** Mail that was acknowledged on another machine is in no inbox here any more. */
  async #compare(session: MailSession, used: number): Promise<void> {
    if (used === this.#used) return;
    const waiting = await session.mail.waiting(this.#place.team, this.#member);
    if (this.#isStale(waiting)) {
      // Its reader has the file open: to be removed at a look after its end, though nothing else is used until then.
      if (this.#isRead()) return;
      await this.#remove();
    }
    const open = this.#known();
    for (const id of open) if (!waiting.has(id)) open.delete(id);
    this.#used = used;
  }

  /** Whether mail is here that was acknowledged elsewhere. */
  #isStale(waiting: ReadonlySet<string>): boolean {
    return [...waitingMail(this.#place.disk, this.#inbox)].some(({ id }) => !waiting.has(id));
  }

  async #deliver(session: MailSession, put: Put): Promise<void> {
    for (;;) {
      const { found, isAll } = await session.mail.after(this.#place.team, this.#member, this.#last);
      await this.#receive(session, found, put);
      if (isAll) return;
    }
  }

  async #receive(session: MailSession, mail: readonly EngineMail[], put: Put): Promise<void> {
    const last = mail.at(-1);
    if (last === undefined) return;
    const open = this.#known();
    const news = mail.map(({ line }): Arrived => ({ line, ...mailMarks(line) })).filter(({ id }) => !open.has(id));
    for (const { blob } of news) if (blob !== undefined) await bringBlob(session, this.#place, blob);
    const { disk } = this.#place;
    const { bell } = this.#inbox;
    if (!hasBell(disk, bell)) createBell(disk, bell);
    if (news.length > 0) await put(news);
    this.#last = last.number;
  }

  async #put(mail: readonly Arrived[]): Promise<void> {
    const put = await Promise.allSettled(
      mail.map(async ({ line, id, type }) => {
        await this.#place.sender.deliver(this.#member, line, isControl({ type }));
        this.#known().add(id);
      }),
    );
    for (const one of put) if (one.status === 'rejected') throw one.reason;
  }

  /** As mail that a process has taken: its reader marks it as delivered again. */
  async #putTaken(mail: readonly Arrived[]): Promise<void> {
    const { disk, now, locks } = this.#place;
    await locks.withLock(this.#inbox.lock, () => {
      const number = Math.max(0, ...segmentsOf(disk, this.#inbox).map((path) => numberOf(this.#inbox, path))) + 1;
      const text = mail.map(({ line }) => `${line}\n`).join('');
      createOnce(disk, this.#inbox.segment(number, newId(now())), text, randomBytes(4).toString('hex'));
    });
    for (const { id } of mail) this.#known().add(id);
  }

  /** Its mail is on another machine. */
  async #clear(): Promise<void> {
    const hasMail = lookAt(this.#place.disk, this.#inbox.inbox) ?? segmentsOf(this.#place.disk, this.#inbox)[0];
    if (hasMail !== undefined && !this.#isRead()) await this.#remove();
  }

  /** Whether a process of this machine reads the inbox: also one that has lost its lease and does not know it yet. */
  #isRead(): boolean {
    const owner = leaseOwner(this.#place.disk, this.#place.paths, this.#member);
    return owner?.where === 'here' && livenessOf(owner) !== 'dead';
  }

  async #remove(): Promise<void> {
    const { disk, locks } = this.#place;
    await locks.withLock(this.#inbox.lock, () => {
      for (const path of segmentsOf(disk, this.#inbox)) {
        removeFile(disk, path);
        removeFile(disk, ackPath(path));
      }
      removeFile(disk, this.#inbox.inbox);
    });
    this.#open = new Set();
    this.#last = 0;
    this.#used = undefined;
  }
}

/** As much of a history is read to find what was not acknowledged in the store. */
const RECENT_BYTES = 4 * 1024 * 1024;

/** Mail as the store gave it. */
interface Arrived extends MailMarks {
  readonly line: string;
}

type Put = (mail: readonly Arrived[]) => Promise<void>;
