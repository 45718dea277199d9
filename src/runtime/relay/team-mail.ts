/**
 * The mail of a team in a replica. The store has it until it is acknowledged. The relay puts it into the inboxes of this
 * machine, as a sender would: that of a member whose process runs elsewhere into none, everybody else's.
 *
 *   stored ─→ in the inbox ─taken, used─→ in the history ─→ acknowledged in the store ─→ in no inbox of any machine
 */
import type { Clock } from '../../model/text/clock.ts';
import { codeOf } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { livenessOf } from '../../os/process-table.ts';
import type { EngineHost } from '../../store/engine/engine-hosts.ts';
import type { TeamNews } from '../../store/engine/engine-news.ts';
import type { EngineLease } from '../../store/engine/engine-rows.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import { Replica } from '../../store/engine/replica.ts';
import type { Disk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { pinDirectory, type PinnedDirectory } from '../../store/files/pinned.ts';
import { Locks } from '../../store/lock/lock.ts';
import { ringBell } from '../../store/mail/bell.ts';
import { Sender } from '../../store/mail/sender.ts';
import { holderIn, isHere, noteElsewhere, type ProcessElsewhere } from '../../store/replica/elsewhere.ts';
import type { ConfigChange, LeaseAsked, LedgerAsked } from '../../store/replica/relay-request.ts';
import { DEFAULT_QUOTA } from '../../store/team/team-store.ts';
import { bringTexts } from './bring-texts.ts';
import { noteHosts } from './note-hosts.ts';
import { bringConfig, changeConfig, putConfig, type Configuration } from './shared-config.ts';
import { SharedEvents } from './shared-events.ts';
import { SharedInbox, type MailPlace } from './shared-inbox.ts';

/** A lease lapses that long after its last renewal, by the clock of the store. */
const LEASE_S = 10;

/** What a relay sees of the store in one look. */
interface Look {
  readonly hosts: readonly EngineHost[];
  /** The one of each second; the others are for what was notified. */
  readonly isWhole: boolean;
}

export class TeamMail {
  readonly #team: string;
  readonly #paths: TeamPaths;
  readonly #pinned: PinnedDirectory;
  readonly #locks: Locks;
  readonly #place: MailPlace;
  readonly #clock: Clock;
  readonly #boxes = new Map<Name, SharedInbox>();
  readonly #events: SharedEvents;
  readonly #ledger: Replica;
  #config: Configuration | undefined;
  /** Whose processes run on other machines, as the last look said. */
  #elsewhere = new Map<Name, ProcessElsewhere>();
  /** Whose processes run on this one. */
  readonly #here = new Set<Name>();
  /** Whose mail is notified whole to this machine, and where; undefined where the store says nothing but that there is some. */
  readonly #heard = new Map<Name, string | undefined>();
  #isLedHere = false;
  #lapsesAt = Number.POSITIVE_INFINITY;
  #trustsFrom = Number.NEGATIVE_INFINITY;

  /** @param team its id in the store */
  constructor(disk: Disk, paths: TeamPaths, team: string, clock: Clock) {
    this.#team = team;
    this.#paths = paths;
    this.#clock = clock;
    const pinned = pinDirectory(disk, paths.folder);
    const locks = new Locks(paths.tokens, { disk: pinned.disk, clock, pinned });
    this.#pinned = pinned;
    this.#locks = locks;
    const sender = new Sender(paths, { disk: pinned.disk, clock, locks, pinned, quota: DEFAULT_QUOTA, durable: false });
    this.#place = { disk: pinned.disk, paths, locks, sender, team, now: () => clock.now() };
    this.#ledger = new Replica(pinned.disk, team, {
      what: `team ${paths.name}`,
      path: paths.ledger,
      create: true,
    });
    this.#events = new SharedEvents({ paths, pinned, locks, clock, team });
  }

  /** What must be the same in the store as it is here: its ledger. */
  get ledger(): Replica {
    return this.#ledger;
  }

  /** Whether a process of this machine leads the team, as the last look said. */
  get isLedHere(): boolean {
    return this.#isLedHere;
  }

  /** When the first lease of a process of another machine lapses, if it is not renewed, by the clock (`monotonic`). */
  get lapsesAt(): number {
    return this.#lapsesAt;
  }

  /** @returns false if others wrote before; the ledger here is up to date in both cases */
  async reserve(session: EngineSession, { after, lines }: LedgerAsked): Promise<boolean> {
    const isWritten = await session.appendLedger(this.#team, after, lines);
    await this.#follow(session, Number.POSITIVE_INFINITY);
    return isWritten;
  }

  /** @param last how many records the store has at least */
  async #follow(session: EngineSession, last: number): Promise<void> {
    while (this.#ledger.position.number < last) {
      const { found, isAll } = await session.after(this.#team, this.#ledger.position.number, 'ledger');
      this.#ledger.append(found);
      if (isAll) return;
    }
  }

  /** @param isCopy whether the replica was copied from that of another machine */
  begin(session: EngineSession, isCopy: boolean): Promise<void> {
    return this.#events.begin(session, isCopy);
  }

  /**
   * Delivers what is new. In a whole look it also tells the store what happened here, and what was used.
   *
   * @param news of this team
   */
  async sync(session: EngineSession, news: TeamNews, look: Look): Promise<void> {
    await this.#follow(session, news.ledger);
    await this.#configure(session, news);
    this.#note(news.leases);
    await this.#hear(session);
    noteHosts(this.#place, look.hosts, news.placements, this.#place.now() < this.#trustsFrom);
    for (const { member, ...known } of news.mailboxes)
      await unlessFull(
        this.#box(member).sync(session, known, {
          isElsewhere: this.#elsewhere.has(member),
          isWhole: look.isWhole,
        }),
      );
    if (look.isWhole) await this.#events.tell(session);
    await this.#events.hear(session, news.events);
  }

  /** The inbox of a member whose mail comes here; undefined if its process runs on another machine. */
  boxHere(member: Name): SharedInbox | undefined {
    return this.#elsewhere.has(member) ? undefined : this.#box(member);
  }

  /** Wakes the process of a member, if it is on this machine. */
  ring(member: Name): void {
    if (!this.#elsewhere.has(member)) ringBell(this.#place.disk, this.#paths.inbox(member).bell);
  }

  async #configure(session: EngineSession, { config }: TeamNews): Promise<void> {
    const known = this.#config;
    if (known === undefined || Number(known.revision) !== config)
      this.#config = await bringConfig(session, this.#place);
    else putConfig(this.#place, known.body);
  }

  /**
   * Takes a lease for a process of this machine, or holds it for longer. A new holder finds its mail in its inbox.
   *
   * @returns who has it now
   */
  async lease(session: EngineSession, { name, owner, isFirst }: LeaseAsked): Promise<string | undefined> {
    let taking = await session.takeLease(this.#team, name, owner, LEASE_S);
    const holder = holderIn(taking.owner ?? '');
    // One that was killed here cannot give it back.
    if (holder && taking.owner !== owner && isHere(holder, this.#pinned.identity) && livenessOf(holder) === 'dead') {
      await session.leaveLease(this.#team, name, taking.owner ?? '');
      taking = await session.takeLease(this.#team, name, owner, LEASE_S);
    }
    if (taking.owner !== owner) return taking.owner;
    this.#elsewhere.delete(name);
    if (!isFirst) return owner;
    const before = taking.lapsed === undefined ? undefined : holderIn(taking.lapsed);
    const wasElsewhere = before !== undefined && !isHere(before, this.#pinned.identity);
    this.#here.add(name);
    // Before the mail is read: none comes between.
    await this.#hear(session);
    await this.#box(name).begin(session, wasElsewhere);
    return taking.owner;
  }

  /** Brings the texts that a record names. */
  bring(session: EngineSession, line: string): Promise<void> {
    return bringTexts(session, this.#place, line);
  }

  /** @returns whether it is changed */
  configure(session: EngineSession, change: ConfigChange): Promise<boolean> {
    return changeConfig(session, this.#place, change);
  }

  async leave(session: EngineSession, { name, owner }: LeaseAsked): Promise<void> {
    await this.#box(name).acknowledge(session);
    await session.leaveLease(this.#team, name, owner);
  }

  close(): void {
    this.#events.close();
    this.#locks.close();
    this.#pinned.close();
  }

  #box(member: Name): SharedInbox {
    const known = this.#boxes.get(member);
    if (known) return known;
    const made = new SharedInbox(this.#place, member);
    this.#boxes.set(member, made);
    return made;
  }

  /** Notes whose processes run on other machines: to be done before a record of theirs is in the log here. */
  async note(session: EngineSession): Promise<void> {
    this.#note(await session.leases(this.#team));
  }

  #note(leases: readonly EngineLease[]): void {
    this.#elsewhere = this.#elsewhereOf(leases);
    // While the store was away nobody could hold a lease for longer: the next look says who is gone.
    if (this.#place.now() < this.#trustsFrom) return;
    noteElsewhere(this.#place.disk, this.#paths, [...this.#elsewhere.values()]);
  }

  /** Only mail of a process of this machine is for it alone. */
  async #hear(session: EngineSession): Promise<void> {
    for (const name of this.#here)
      if (!this.#heard.has(name)) this.#heard.set(name, await session.mail.hear(this.#team, name));
    for (const [name, channel] of this.#heard) {
      if (this.#here.has(name)) continue;
      this.#heard.delete(name);
      if (channel !== undefined) await session.mail.unhear(channel);
    }
  }

  /** The store was away: leases lapsed meanwhile whose holders are alive. */
  reconnected(): void {
    this.#trustsFrom = this.#place.now() + LEASE_S * 1_000;
    this.#heard.clear();
    this.#events.reconnected();
  }

  #elsewhereOf(leases: readonly EngineLease[]): Map<Name, ProcessElsewhere> {
    const found = new Map<Name, ProcessElsewhere>();
    this.#lapsesAt = Number.POSITIVE_INFINITY;
    this.#isLedHere = false;
    this.#here.clear();
    for (const { name, owner, seconds } of leases) {
      const holder = holderIn(owner);
      if (holder === undefined || seconds <= 0) continue;
      if (isHere(holder, this.#pinned.identity)) {
        this.#isLedHere ||= name === LEAD;
        this.#here.add(name);
        continue;
      }
      this.#lapsesAt = Math.min(this.#lapsesAt, this.#clock.monotonic() + seconds * 1_000);
      const { pid: pidThere, machine, since, startedBy } = holder;
      found.set(name, { where: 'elsewhere', name, pidThere, machine, since, startedBy });
    }
    return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}

/** An inbox that is full, or held, is no error: what waits stays in the store until the next look. */
export async function unlessFull(delivered: Promise<void>): Promise<void> {
  try {
    await delivered;
  } catch (error) {
    if (!['QUOTA', 'LOCK_TIMEOUT'].includes(codeOf(error) ?? '')) throw error;
  }
}
