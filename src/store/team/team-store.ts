/** All stores of one team, opened together and closed together. */
import type { Clock } from '../../model/text/clock.ts';
import { isTeamError, UsageError, type StoreError } from '../../model/text/errors.ts';
import type { Name } from '../../model/text/names.ts';
import { keysIn } from '../../model/text/public-key.ts';
import { vendorsSchema, type VendorPauses } from '../../model/agent/vendor-pauses.ts';
import type { RunState } from '../../model/run/run-state.ts';
import type { TeamConfig } from '../../model/team/team-config.ts';
import { configForm, stateForm } from '../../model/config/plain-documents.ts';
import { BoardStore } from '../board/board.ts';
import type { Folded } from '../board/fold-line.ts';
import { Bus } from './bus-store.ts';
import { CommandTrust } from './command-trust.ts';
import { foreignCommand, foreignTeam } from './untrusted.ts';
import { lookAt, realDisk, type Disk } from '../files/disk.ts';
import { Document } from '../lock/document.ts';
import { EventLog } from '../board/events.ts';
import { hashText, keepResult } from '../board/results.ts';
import { planDocumentSchema, type PlanDocument } from '../board/plan-record.ts';
import { Locks } from '../lock/lock.ts';
import { Ledger } from './ledger.ts';
import { DayLedger } from './day-ledger.ts';
import { SharedDay } from './shared-day.ts';
import { requireDirectories } from '../files/own-directories.ts';
import type { TeamPaths } from '../files/paths.ts';
import { pinDirectory, type PinnedDirectory } from '../files/pinned.ts';
import { livenessIn, Roster } from './roster.ts';
import type { Liveness } from '../../os/process-table.ts';
import { processesElsewhere, type ProcessElsewhere } from '../replica/elsewhere.ts';
import type { PaceTold } from '../replica/relay-request.ts';
import type { PlacementAsked } from '../replica/team-hosts.ts';
import type { RelayClient } from '../replica/relay-client.ts';
import { replicaOf } from '../replica/replica-root.ts';
import type { LeaseEnvironment } from './lease.ts';
import { openSeal, type Seal } from '../user/seal.ts';
import { Signatures } from '../user/signature.ts';
import { ringBell } from '../mail/bell.ts';
import { Sender, type Quota } from '../mail/sender.ts';

export const DEFAULT_QUOTA: Quota = { inboxMaxMessages: 10_000, inboxMaxBytes: 64 * 1024 * 1024 };

export interface StoreOptions {
  readonly clock: Clock;
  readonly disk?: Disk | undefined;
  readonly seal?: Seal;
  /** Public keys whose signatures count as the user's; by default those of `TEAMS_TRUST`. */
  readonly trust?: readonly string[] | undefined;
  /** Signs what is made here, as in a team of a store: it goes there. */
  readonly signs?: boolean | undefined;
  readonly quota?: Quota | undefined;
  readonly lockTimeoutMs?: number | undefined;
  /** Bytes after which the event log goes on in a new file. */
  readonly eventFileBytes?: number | undefined;
  readonly durable?: boolean;
  readonly onFolded?: (folded: Folded) => void;
  /** Keeps the board's past, for a lead: the fold may then begin at the checkpoint. */
  readonly keepsPast?: boolean;
}

export class TeamStore {
  readonly paths: TeamPaths;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly lockTimeoutMs: number | undefined;
  readonly pinned: PinnedDirectory;
  readonly locks: Locks;
  readonly board: BoardStore;
  readonly sender: Sender;
  readonly config: Document<TeamConfig>;
  readonly state: Document<RunState>;
  readonly vendors: Document<VendorPauses>;
  readonly plan: Document<PlanDocument>;
  readonly events: EventLog;
  readonly bus: Bus;
  readonly ledger: Ledger;
  /** That of this user's day, over all teams. */
  readonly day: DayLedger;
  /** The same over the machines of its store; undefined for a team in files. */
  readonly sharedDay: SharedDay | undefined;
  readonly roster: Roster;
  readonly commands: CommandTrust;
  /** That of this user. */
  readonly seal: Seal;
  /** Public keys that this process was told by its caller, and not by `TEAMS_TRUST`. */
  readonly trust: readonly string[] | undefined;
  /** Its order is made by a store on PostgreSQL (docs/scale-out.md). */
  readonly isShared: boolean;
  /** The plan before the `number`-th change of the plan. */
  readonly earlierPlan: (number: number) => Document<PlanDocument>;
  #client: Promise<RelayClient> | undefined;
  /** What is asked of the relay without waiting for its answer. */
  readonly #rings = new Set<Promise<void>>();

  /** @param options.onFolded called for each event as it is folded */
  constructor(paths: TeamPaths, options: StoreOptions & { create?: boolean }) {
    const {
      clock,
      disk: given = realDisk,
      seal = openSeal(given),
      trust,
      quota = DEFAULT_QUOTA,
      lockTimeoutMs,
      durable,
      onFolded,
      keepsPast,
    } = options;
    requireDirectories(given, paths);
    this.pinned = pinDirectory(given, paths.folder);
    const { pinned } = this;
    const { disk } = pinned;
    this.paths = paths;
    this.disk = disk;
    this.clock = clock;
    this.lockTimeoutMs = lockTimeoutMs;
    this.seal = seal;
    this.trust = trust;
    this.isShared = replicaOf(given, paths.root) !== undefined;
    const signs = this.isShared || options.signs === true;
    const signatures = new Signatures(seal, given, () => trust ?? keysIn(process.env));
    const onBroken = (path: string): void => void this.events.append({ type: 'lock.broken', text: path });
    const locks = new Locks(paths.tokens, { disk, clock, pinned, onBroken });
    this.locks = locks;
    this.events = new EventLog(disk, paths.events, clock, {
      pinned,
      locks,
      lock: paths.eventFilesLock,
      fileBytes: options.eventFileBytes,
      lockTimeoutMs,
    });
    this.bus = new Bus(this.events, locks, paths.busLock);
    this.board = new BoardStore(paths.log, {
      disk,
      clock,
      pinned,
      create: options.create ?? false,
      vouch: (said) => ({ mac: seal.sign(said), signature: signs ? signatures.sign(said) : undefined }),
      checkpoint: { path: paths.checkpoint },
      onFolded,
      keepsPast,
      isFromCheckpoint: keepsPast,
      commit: this.isShared ? async (line) => (await this.#relay()).commit(paths.name, line) : undefined,
    });
    this.sender = new Sender(paths, {
      disk,
      clock,
      locks,
      pinned,
      quota,
      lockTimeoutMs,
      durable,
      post: this.isShared ? async (mail) => (await this.#relay()).post(paths.name, mail) : undefined,
    });
    const document = { disk, locks, pinned, seal, signatures, signs, team: () => ulidOf(this.board) };
    this.config = new Document({
      ...document,
      ...configForm,
      path: paths.config,
      lock: paths.configLock,
      isKept: true,
      share: this.isShared
        ? async (before, next) => (await this.#relay()).configure(paths.name, { before, next })
        : undefined,
    });
    this.state = new Document({ ...document, ...stateForm, path: paths.state, lock: paths.stateLock });
    this.plan = new Document({
      ...document,
      path: paths.plan,
      schema: () => planDocumentSchema,
      lock: paths.configLock,
    });
    this.earlierPlan = (number) =>
      new Document({
        ...document,
        path: paths.earlierPlan(number),
        schema: () => planDocumentSchema,
        lock: paths.configLock,
      });
    const { vendors: path, vendorsLock: lock } = paths;
    this.vendors = new Document({ disk, locks, pinned, path, lock, schema: () => vendorsSchema, isExpendable: true });
    this.ledger = new Ledger({
      disk,
      pinned,
      clock,
      locks,
      paths,
      lockTimeoutMs,
      commit: this.isShared ? async (...asked) => (await this.#relay()).commitLedger(paths.name, ...asked) : undefined,
    });
    this.day = new DayLedger({ disk: given, clock, lockTimeoutMs });
    this.sharedDay = this.isShared
      ? new SharedDay({
          disk: given,
          clock,
          root: paths.root,
          commit: async (asked) => (await this.#relay()).commitSpending(asked),
        })
      : undefined;
    this.roster = new Roster(disk, paths);
    this.commands = new CommandTrust(this.board, seal, signatures, disk);
  }

  /** @throws StoreError `UNTRUSTED` when the folder does not carry this user's seal */
  requireTrusted(): void {
    if (this.config.isSealed() && isOurs(this.state)) return;
    throw foreignTeam(this.paths, this.config.strangerOf());
  }

  /**
   * @throws StoreError `UNTRUSTED` when the folder does not carry this user's seal, or the board has a command for which
   * this user did not vouch
   */
  requireTrustedCommands(): void {
    this.requireTrusted();
    const error = this.untrustedCommands();
    if (error !== undefined) throw error;
  }

  /** @returns the error for commands of open tasks that this user did not give */
  untrustedCommands(): StoreError | undefined {
    this.board.fold();
    const open = this.commands.untrusted('open');
    const [first] = open;
    if (first === undefined) return undefined;
    const { subject } = this.board.board.tasks.get(first.task) ?? { subject: '' };
    const more = open.length === 1 ? '' : ` and ${open.length - 1} more`;
    return this.untrustedTask({ id: first.task }, `task #${first.task} (${subject.slice(0, 60)})${more}`);
  }

  /**
   * Asked immediately before a command of the task starts.
   *
   * @throws StoreError `UNTRUSTED`
   */
  requireTrustedTask({ id }: { readonly id: string }): void {
    if (!this.commands.isTrusted(id)) throw this.untrustedTask({ id });
  }

  /** @returns the error for the command of a task that this user did not give */
  untrustedTask({ id }: { readonly id: string }, what = `task #${id}`): StoreError {
    return foreignCommand(this.paths, what, this.commands.strangerOf(id));
  }

  /**
   * What a lease of this team needs.
   *
   * @param onLost called once when another process has the lease
   * @param isOurs whether the log still says that it is ours
   */
  forLease(onLost: (why?: Error) => void = () => {}, isOurs: () => boolean = () => true): LeaseEnvironment {
    const { disk, locks, clock } = this;
    const shared = this.isShared ? { relay: () => this.#relay(), monotonic: () => clock.monotonic() } : undefined;
    return { disk, locks, now: () => clock.now(), onLost, isOurs, shared };
  }

  /** The process of a member, or of the lead, on another machine. */
  elsewhere(name: Name): ProcessElsewhere | undefined {
    return this.isShared ? processesElsewhere(this.disk, this.paths).get(name) : undefined;
  }

  /** Wakes the process of a member, or of the lead, on whatever machine it is. If it is not heard, it looks by itself soon. */
  ring(name: Name): void {
    if (this.elsewhere(name) === undefined) {
      ringBell(this.disk, this.paths.inbox(name).bell);
      return;
    }
    const rung = this.#relay()
      .then((client) => client.ring(this.paths.name, name))
      .catch(() => {});
    this.#rings.add(rung);
    void rung.then(() => this.#rings.delete(rung));
  }

  /** Whether a member's process lives: here by pid and start time, elsewhere by its lease. */
  lifeOf(name: Name): Liveness | 'elsewhere' {
    const here = livenessIn(this.roster.read(name));
    return here === 'dead' && this.elsewhere(name) ? 'elsewhere' : here;
  }

  /**
   * Keeps the result of an attempt, before the record that names its hash: on this machine, and in the team's store.
   *
   * @throws StoreError `ENGINE_UNREACHABLE` where the store cannot be asked
   */
  async keepResult(task: string, epoch: number, text: string): Promise<void> {
    keepResult(this.disk, this.paths, task, epoch, text);
    if (this.isShared) await (await this.#relay()).keep(this.paths.name, text);
  }

  /** Keeps a text in the team's store. @returns its hash. @throws StoreError `ENGINE_UNREACHABLE` */
  async share(text: string): Promise<string> {
    await (await this.#relay()).keep(this.paths.name, text);
    return hashText(text);
  }

  /** @returns the text of a hash; undefined if the team's store has none. @throws StoreError `ENGINE_UNREACHABLE` */
  async shared(hash: string): Promise<string | undefined> {
    const text = await (await this.#relay()).kept(this.paths.name, hash);
    return text !== undefined && hashText(text) === hash ? text : undefined;
  }

  /** As {@link RelayClient.askForPlacement}. @throws StoreError `ENGINE_UNREACHABLE` where the store cannot be asked */
  async askForPlacement(asked: PlacementAsked): Promise<boolean> {
    return (await this.#relay()).askForPlacement(this.paths.name, asked);
  }

  /** Tells the other machines of the store of a vendor that is called here. @throws StoreError `ENGINE_UNREACHABLE` */
  async tellPace(told: PaceTold): Promise<void> {
    await (await this.#relay()).tellPace(told);
  }

  /** Archives the team in its store. The relay moves its folder to the archive soon after. */
  async archiveShared(): Promise<void> {
    await (await this.#relay()).archive(this.paths.name);
  }

  /** This process must end: in a store that is away nothing is waited for but a few seconds. */
  hurry(): void {
    void this.#client?.then((client) => client.hurry());
  }

  /** This process has a lease: what it writes while the store is away waits for so long, in milliseconds. */
  waitFor(ms: number): void {
    if (this.isShared) void this.#relay().then((client) => client.waitFor(ms));
  }

  #relay(): Promise<RelayClient> {
    const at = { disk: this.pinned.given, root: this.paths.root, seal: this.seal, clock: this.clock };
    return (this.#client ??= import('../replica/relay-client.ts').then(({ RelayClient }) => new RelayClient(at)));
  }

  async close(): Promise<void> {
    await this.sender.settled();
    await Promise.all(this.#rings);
    (await this.#client)?.[Symbol.dispose]();
    this.board.close();
    this.events.close();
    this.ledger.close();
    this.day.close();
    this.sharedDay?.close();
    if (lookAt(this.disk, this.paths.folder)) this.locks.close();
    this.pinned.close();
  }
}

/** The ULID of a team, by its log; undefined for a log without a beginning. */
export const ulidOf = (board: Pick<BoardStore, 'board' | 'fold'>): string | undefined =>
  (board.board.team ?? board.fold().team)?.id;

/**
 * Whether there is a team: its log exists, and so does its complete folder. A reserved name has only an empty folder.
 */
export const isTeam = (disk: Disk, paths: TeamPaths): boolean =>
  lookAt(disk, paths.log) !== undefined && lookAt(disk, paths.processes) !== undefined;

/**
 * Opens an existing team.
 * @throws UsageError `UNKNOWN_TEAM`
 */
export function openStore(paths: TeamPaths, options: StoreOptions): TeamStore {
  const disk = options.disk ?? realDisk;
  if (!isTeam(disk, paths)) throw unknownTeam(paths.name);
  return new TeamStore(paths, options);
}

export const unknownTeam = (name: Name): UsageError =>
  new UsageError(
    'UNKNOWN_TEAM',
    `There is no team ${name} here; \`teams list\` shows the teams, \`teams create ${name}\` makes it.`,
  );

/** An unreadable state cannot be judged, so it counts as ours: the next lead sets it aside. */
function isOurs(state: TeamStore['state']): boolean {
  try {
    return state.read() === undefined || state.isSealed();
  } catch (error) {
    if (isTeamError(error) && error.code === 'CORRUPT') return true;
    throw error;
  }
}
