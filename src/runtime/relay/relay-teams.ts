/**
 * The teams of a relay: what processes of this machine ask of them, and what is new in the store. A look is one question
 * to the store for all teams, and then one for each thing that has changed (/docs/decisions/144-one-question-a-look.md).
 */
import type { Clock } from '../../model/text/clock.ts';
import { codeOf } from '../../model/text/errors.ts';
import { isMemberName, type Name } from '../../model/text/names.ts';
import { newsOf } from '../../store/engine/engine-news.ts';
import type { EngineTeam, NotifiedMail } from '../../store/engine/engine-rows.ts';
import type { EngineSession } from '../../store/engine/engine-session.ts';
import type { Replica } from '../../store/engine/replica.ts';
import { openReplica, replicaAt } from '../../store/engine/replica-place.ts';
import { isFree, replicasIn, retireIfFree } from '../../store/engine/retired-replicas.ts';
import type { RelayRequest } from '../../store/replica/relay-request.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { hashText } from '../../store/board/results.ts';
import { realDisk } from '../../store/files/disk.ts';
import { folderAt } from '../../store/files/folder-of.ts';
import { teamPaths } from '../../store/files/paths.ts';
import { bringMail, bringNotified, bringSent, catchUp, catchUpWith, isSame, requireSame } from './catch-up.ts';
import { hosted } from './host-acts.ts';
import {
  changed,
  kept,
  leased,
  made,
  posted,
  rung,
  written,
  type Answered,
  type GrownLog,
  type ReplicaTeam,
  type SentMail,
  type Waiting,
} from './relay-acts.ts';
import { ReplicaCheckpoint } from './replica-checkpoint.ts';
import { TeamMail } from './team-mail.ts';
import { spent } from './user-acts.ts';
import { UserDay } from './user-day.ts';
import { UserPaces } from './user-paces.ts';

/** All is looked at so often: a notification may be missed, and a lost connection stay unnoticed. */
const LOOK_MS = 1_000;
/** What these ask is seen in a look only. */
const CHANGES_MORE: ReadonlySet<string> = new Set(['create', 'host', 'placement', 'archive']);
/** What is about no team, and seen at once. */
const OF_USER: ReadonlySet<string> = new Set(['spending', 'pace']);
const LEASES: ReadonlySet<string> = new Set(['lease', 'leave']);

export class RelayTeams {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #day: UserDay;
  readonly #paces: UserPaces;
  /** What tells this machine from others: no file, which can be copied. */
  readonly #machine: string;
  readonly #replicas = new Map<Name, ReplicaTeam>();
  /** Those that have ended, whose names another process holds. */
  readonly #unmoved = new Set<Name>();
  /** Something other than logs and mail may have changed: teams, leases, hosts. */
  #hasNews = true;
  /** The ids of teams whose logs have grown, with the number of their last record. */
  readonly #grown = new Map<string, number>();
  /** The ids of teams, with the members to whom mail was sent on other machines, and the number of the last message. */
  readonly #mailed = new Map<string, Map<Name, number>>();
  /** Mail that was notified whole, in its order. */
  #notified: NotifiedMail[] = [];
  /** The ids of teams, with the members to be woken. */
  readonly #rung = new Map<string, Set<Name>>();
  /** When all was looked at last, by the clock. */
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
    this.#day = new UserDay(root);
    this.#paces = new UserPaces(clock);
    const { bootId, pidNamespace } = ownIdentity();
    this.#machine = hashText(JSON.stringify([bootId, pidNamespace, folderAt(realDisk, root)]));
  }

  /** @param what that is new, as {@link EngineSession.open} says it */
  heardOf(what: string): void {
    const [kind, team, at = '', number] = what.split(' ');
    if (kind === 'log' && team !== undefined && Number.isSafeInteger(Number(at))) this.#grown.set(team, Number(at));
    else if (kind === 'mail' && team !== undefined && isMemberName(at))
      this.#mailed.set(team, (this.#mailed.get(team) ?? new Map<Name, number>()).set(at, Number(number)));
    else if (kind === 'ring' && team !== undefined && isMemberName(at))
      this.#rung.set(team, (this.#rung.get(team) ?? new Set()).add(at));
    else this.#hasNews = true;
  }

  heardMail(mail: NotifiedMail): void {
    this.#notified.push(mail);
  }

  /** When all is looked at again, by the clock (`monotonic`): in a second, or when a process of another machine may be lost. */
  get looksAt(): number {
    const lapses = [...this.#replicas.values()].map(({ mail }) => mail.lapsesAt);
    return Math.min(this.#lookedAt + LOOK_MS, ...lapses);
  }

  get #isDue(): boolean {
    return this.looksAt <= this.#clock.monotonic();
  }

  /**
   * Reads what the engine has.
   *
   * @param isCopy whether the root was copied from that of another machine
   * @throws StoreError `ENGINE_DIVERGED` if it has not what was read here
   */
  async connect(session: EngineSession, isCopy: boolean): Promise<void> {
    for (const { replica, mail } of this.#replicas.values()) {
      await requireSame(session, replica);
      await requireSame(session, mail.ledger, 'ledger');
    }
    this.#hasNews = true;
    // A failover may have lost it.
    this.#notified = [];
    const { teams, spending } = await newsOf(session);
    await this.#day.connect(session, spending);
    await this.#meet(session, teams, { isConnecting: true, isCopy });
    for (const team of this.#replicas.values()) await catchUp(session, team);
  }

  /** The store was away. */
  reconnected(): void {
    for (const { mail } of this.#replicas.values()) mail.reconnected();
  }

  /** Writes what waits, and reads what is new. */
  async round(session: EngineSession, waiting: readonly Waiting[]): Promise<Answered[]> {
    const sent: SentMail[] = [];
    const grown: GrownLog[] = [];
    const answers = waiting.length === 0 ? [] : await this.#acted(session, waiting, { sent, grown });
    // Who asked reads in the replica what came of it.
    for (const one of grown) await catchUpWith(session, one);
    // A look would ask for it.
    await this.#readNotified(session);
    if (this.#mustLook(waiting)) await this.#look(session);
    else await this.#readLogs(session);
    for (const one of sent) await bringSent(session, one);
    await this.#readMail(session);
    this.#ring();
    if (waiting.some(({ request }) => LEASES.has(request.do)))
      answers.push(...(await leased(session, waiting, this.#replicas)));
    return answers;
  }

  /** Carries out what is asked, but for leases. A tick has mostly one kind of request, so the others are not gone through. */
  async #acted(
    session: EngineSession,
    waiting: readonly Waiting[],
    { sent, grown }: { readonly sent: SentMail[]; readonly grown: GrownLog[] },
  ): Promise<Answered[]> {
    const kinds = new Set(waiting.map(({ request }) => request.do));
    const has = (...some: readonly RelayRequest['do'][]): boolean => some.some((one) => kinds.has(one));
    const answers: Answered[] = [];
    if (has('create')) answers.push(...(await made(session, waiting)));
    if (has('keep', 'kept')) answers.push(...(await kept(session, waiting, this.#replicas)));
    if (has('ring')) answers.push(...(await rung(session, waiting, this.#replicas)));
    if (has('append')) answers.push(...(await written(session, waiting, this.#replicas, grown)));
    if (has('configure', 'ledger', 'archive')) answers.push(...(await changed(session, waiting, this.#replicas)));
    if (has('host', 'hosts', 'placement'))
      answers.push(...(await hosted(session, waiting, this.#replicas, this.#root)));
    if (has('spending', 'pace'))
      answers.push(...(await spent(session, waiting, { day: this.#day, machine: this.#machine })));
    // Mail comes after the records of the same tick: it may be about them.
    if (has('send')) answers.push(...(await posted(session, waiting, this.#replicas, sent)));
    return answers;
  }

  close(): void {
    for (const team of this.#replicas.values()) close(team);
  }

  #mustLook(waiting: readonly Waiting[]): boolean {
    return (
      this.#hasNews ||
      this.#isDue ||
      waiting.some(
        ({ request }) =>
          CHANGES_MORE.has(request.do) || (!OF_USER.has(request.do) && !this.#replicas.has(request.team)),
      ) ||
      // The first records of a team that is new.
      this.#isAnyNew(this.#grown.keys()) ||
      this.#isAnyNew(this.#mailed.keys())
    );
  }

  #isAnyNew(ids: Iterable<string>): boolean {
    const known = [...this.#replicas.values()];
    for (const id of ids) if (!known.some(({ replica }) => replica.id === id)) return true;
    return false;
  }

  /** One question, and then only for what is new. */
  async #look(session: EngineSession): Promise<void> {
    const isWhole = this.#isDue;
    if (isWhole) this.#lookedAt = this.#clock.monotonic();
    this.#hasNews = false;
    this.#grown.clear();
    this.#mailed.clear();
    const { teams, hosts, spending, paces } = await newsOf(session);
    await this.#day.follow(session, spending);
    await this.#paces.note(paces);
    await this.#meet(session, teams, { isConnecting: false, isCopy: false });
    for (const news of teams) {
      const team = this.#replicas.get(news.name);
      if (team === undefined) continue;
      // A record is here before the mail about it.
      if (news.log > team.replica.position.number) await catchUp(session, team);
      try {
        await team.mail.sync(session, news, { hosts, isWhole });
      } catch (error) {
        if (!(await hasEnded(session, team, error))) throw error;
        // The next look moves it to the archive.
        this.#hasNews = true;
      }
      if (isWhole && !team.mail.isLedHere) team.checkpoint.look(team.replica.end);
    }
  }

  async #readLogs(session: EngineSession): Promise<void> {
    const grown = new Map(this.#grown);
    this.#grown.clear();
    for (const team of this.#replicas.values())
      if ((grown.get(team.replica.id) ?? 0) > team.replica.position.number) await catchUp(session, team);
  }

  async #readNotified(session: EngineSession): Promise<void> {
    const notified = this.#notified;
    this.#notified = [];
    for (const mail of notified)
      for (const team of this.#replicas.values())
        if (team.replica.id === mail.team) await bringNotified(session, team, mail);
  }

  async #readMail(session: EngineSession): Promise<void> {
    const mailed = new Map(this.#mailed);
    this.#mailed.clear();
    for (const team of this.#replicas.values())
      for (const [member, last] of mailed.get(team.replica.id) ?? []) await bringMail(session, team, member, last);
  }

  /** What they are woken for is here by now. */
  #ring(): void {
    for (const { replica, mail } of this.#replicas.values())
      for (const member of this.#rung.get(replica.id) ?? []) mail.ring(member);
    this.#rung.clear();
  }

  /** Teams that are new to this machine, and those that have left the store. */
  async #meet(
    session: EngineSession,
    teams: readonly EngineTeam[],
    { isConnecting, isCopy }: { readonly isConnecting: boolean; readonly isCopy: boolean },
  ): Promise<void> {
    await this.#retire(session, teams, isConnecting);
    for (const team of teams) {
      if (this.#replicas.has(team.name) || this.#unmoved.has(team.name)) continue;
      // The next look makes it: to wait for the name would hold up all teams.
      if (!isFree(this.#root, team.name, this.#clock)) continue;
      const opened = this.#opened(
        openReplica(this.#root, team, await session.documents(team.id), this.#clock),
        team.name,
      );
      await requireSame(session, opened.replica);
      await requireSame(session, opened.mail.ledger, 'ledger');
      this.#replicas.set(team.name, opened);
      await opened.mail.begin(session, isCopy);
    }
  }

  #opened(replica: Replica, name: Name): ReplicaTeam {
    const paths = teamPaths(this.#root, name);
    return {
      replica,
      mail: new TeamMail(realDisk, paths, replica.id, this.#clock),
      checkpoint: new ReplicaCheckpoint(realDisk, paths, this.#clock),
    };
  }

  async #retire(session: EngineSession, teams: readonly EngineTeam[], isConnecting: boolean): Promise<void> {
    const isOld = (name: Name, id: string | undefined): boolean =>
      !teams.some((team) => team.name === name && (id === undefined || team.id === id));
    const known = [...this.#replicas].map(([name, { replica }]) => [name, replica.id] as const);
    const here = isConnecting ? [...replicasIn(this.#root)] : known;
    const old = here.filter(([name, id]) => isOld(name, id));
    const gone = old.length === 0 ? new Set() : await session.goneTeams();
    for (const [name, id] of old) {
      // A failover has lost it.
      if (id !== undefined && !gone.has(id)) throw replicaAt(this.#root, { id, name }).diverged();
      const known = this.#replicas.get(name);
      const team = known ?? (id === undefined ? undefined : this.#opened(replicaAt(this.#root, { id, name }), name));
      try {
        // How it ended.
        if (team && (known || (await isSame(session, team.replica)))) await catchUp(session, team);
      } finally {
        if (team) close(team);
      }
      this.#replicas.delete(name);
      this.#unmoved.add(name);
    }
    for (const name of this.#unmoved) if (retireIfFree(this.#root, name, this.#clock)) this.#unmoved.delete(name);
  }
}

/** Whether a team ended in the store while it was told of what happened here. */
async function hasEnded(session: EngineSession, { replica }: ReplicaTeam, error: unknown): Promise<boolean> {
  return codeOf(error) === 'TEAM_GONE' && (await session.goneTeams()).has(replica.id);
}

function close({ mail, checkpoint }: ReplicaTeam): void {
  checkpoint.close();
  mail.close();
}
