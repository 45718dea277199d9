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
import { keepResult } from '../board/results.ts';
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
import { replicaOf } from '../replica/replica-root.ts';
import { TeamRelay } from '../replica/team-relay.ts';
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
  /** Asked by a team in a store alone. */
  readonly relay: TeamRelay;
  /** The plan before the `number`-th change of the plan. */
  readonly earlierPlan: (number: number) => Document<PlanDocument>;

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
    const relay = new TeamRelay(paths.name, { disk: given, root: paths.root, seal, clock });
    this.relay = relay;
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
      commit: this.isShared ? (line) => relay.commit(line) : undefined,
    });
    this.sender = new Sender(paths, {
      disk,
      clock,
      locks,
      pinned,
      quota,
      lockTimeoutMs,
      durable,
      post: this.isShared ? (mail) => relay.post(mail) : undefined,
    });
    const document = { disk, locks, pinned, seal, signatures, signs, team: () => ulidOf(this.board) };
    this.config = new Document({
      ...document,
      ...configForm,
      path: paths.config,
      lock: paths.configLock,
      isKept: true,
      share: this.isShared ? (before, next) => relay.configure({ before, next }) : undefined,
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
      commit: this.isShared ? (after, lines) => relay.commitLedger(after, lines) : undefined,
    });
    this.day = new DayLedger({ disk: given, clock, lockTimeoutMs });
    this.sharedDay = this.isShared
      ? new SharedDay({ disk: given, clock, root: paths.root, commit: (asked) => relay.commitSpending(asked) })
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
    const shared = this.isShared ? { relay: () => this.relay.client(), monotonic: () => clock.monotonic() } : undefined;
    return { disk, locks, now: () => clock.now(), onLost, isOurs, shared };
  }

  /** The process of a member, or of the lead, on another machine. */
  elsewhere(name: Name): ProcessElsewhere | undefined {
    return this.isShared ? processesElsewhere(this.disk, this.paths).get(name) : undefined;
  }

  /** Wakes the process of a member, or of the lead, on whatever machine it is. If it is not heard, it looks by itself soon. */
  ring(name: Name): void {
    if (this.elsewhere(name) === undefined) ringBell(this.disk, this.paths.inbox(name).bell);
    else this.relay.ring(name);
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
    if (this.isShared) await this.relay.keep(text);
  }

  async close(): Promise<void> {
    await this.sender.settled();
    await this.relay.close();
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
