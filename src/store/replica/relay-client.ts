/** What processes of a machine ask the relay of their replica. Loaded only for a team in a store. */
import { jsonAnswer } from '../../model/text/json-answer.ts';
import { codeOf, ConflictError, StoreError } from '../../model/text/errors.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { LastingConnection } from '../../os/connection/lasting-connection.ts';
import { livenessOf } from '../../os/process-table.ts';
import type { Disk } from '../files/disk.ts';
import { rootPaths, type RootPaths } from '../files/paths.ts';
import { lockStateOf } from '../lock/lock-state.ts';
import type { Seal } from '../user/seal.ts';
import { relayAnswer, relayAnswerIn, sealedRequest, type RelayAnswer } from './relay-answer.ts';
import type {
  ConfigChange,
  LeaseAsked,
  PostedMail,
  RelayRequest,
  PaceTold,
  SharedTeam,
  SpendingAsked,
} from './relay-request.ts';
import { requireUndiverged } from './replica-root.ts';
import type { HostAsked, KnownHost, PlacementAsked } from './team-hosts.ts';

/** How long a record of a verb waits for its answer: a failover takes seconds. */
const PATIENCE_MS = 60_000;
/** The same for a lease, which would be lapsed by then. */
const LEASE_PATIENCE_MS = 8_000;
/** So long a relay that did not answer this process before may take until it holds the lock of the root. */
const START_MS = 5_000;
const AGAIN_MS = 100;
/** In requests that are about no team. */
const NO_TEAM = parseName('team', 'any');
/** What a process that must end waits for its answers, and at least for each. */
const HURRY_MS = 3_000;
const LEAST_MS = 1_000;

interface RelayClock {
  readonly monotonic: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** What processes of this machine ask the relay of their replica. */
export class RelayClient {
  readonly #disk: Disk;
  readonly #root: string;
  readonly #paths: RootPaths;
  readonly #seal: Seal;
  readonly #clock: RelayClock;
  #patienceMs: number;
  #connection: LastingConnection | undefined;
  #hasServed = false;
  /** By the clock; set when the process must end. */
  #hurriedTo: number | undefined;

  constructor(at: {
    readonly disk: Disk;
    readonly root: string;
    readonly seal: Seal;
    readonly clock: RelayClock;
    readonly patienceMs?: number;
  }) {
    this.#disk = at.disk;
    this.#root = at.root;
    this.#paths = rootPaths(at.root);
    this.#seal = at.seal;
    this.#clock = at.clock;
    this.#patienceMs = at.patienceMs ?? PATIENCE_MS;
  }

  /**
   * Puts a record into the team's order. It is durable and in the replica when this resolves.
   *
   * @throws StoreError `ENGINE_UNREACHABLE`: it is then unknown whether the record is in the order; `ENGINE_DIVERGED`,
   *   `TEAM_GONE`
   */
  async commit(team: Name, line: string): Promise<void> {
    await this.#ask('append', team, line);
  }

  /**
   * Makes a team in the store, and in this replica.
   *
   * @throws ConflictError `TEAM_EXISTS`; StoreError as {@link commit}
   */
  async create(team: Name, made: SharedTeam): Promise<void> {
    await this.#ask('create', team, JSON.stringify(made));
  }

  /**
   * Stores mail. It is durable when this resolves; the relay of the machine of its reader delivers it.
   *
   * @throws StoreError as {@link commit}
   */
  async post(team: Name, mail: PostedMail): Promise<void> {
    await this.#ask('send', team, JSON.stringify(mail));
  }

  /** Keeps a text under its hash, for the machines that read a record which names it. @throws StoreError as {@link commit} */
  async keep(team: Name, text: string): Promise<void> {
    await this.#ask('keep', team, text);
  }

  /** @returns the text that was kept under a hash; undefined if there is none. @throws StoreError as {@link commit} */
  async kept(team: Name, hash: string): Promise<string | undefined> {
    return (await this.#ask('kept', team, hash)).text;
  }

  /** Rings the bell of a member whose process is on another machine. @throws StoreError as {@link commit} */
  async ring(team: Name, member: Name): Promise<void> {
    await this.#ask('ring', team, member, LEAST_MS);
  }

  /** Archives a team in the store; its replicas go to the archives of their machines then. @throws StoreError as {@link commit} */
  async archive(team: Name): Promise<void> {
    await this.#ask('archive', team, '');
  }

  /**
   * Takes a lease, or holds it for longer.
   *
   * @returns who has it now; mail that waits for its holder is then in the replica
   * @throws StoreError as {@link commit}
   */
  async takeLease(team: Name, lease: LeaseAsked): Promise<string | undefined> {
    return (await this.#ask('lease', team, JSON.stringify(lease), LEASE_PATIENCE_MS)).owner;
  }

  /**
   * Changes the team's configuration in the store, and in this replica.
   *
   * @returns false if it was another one than `before`: the replica has that one then
   * @throws StoreError as {@link commit}
   */
  async configure(team: Name, change: ConfigChange): Promise<boolean> {
    return (await this.#ask('configure', team, JSON.stringify(change))).isBehind !== true;
  }

  /** Gives a lease back. What its holder acknowledged is acknowledged in the store then. @throws StoreError as {@link commit} */
  async leaveLease(team: Name, lease: LeaseAsked): Promise<void> {
    await this.#ask('leave', team, JSON.stringify(lease), LEASE_PATIENCE_MS);
  }

  /**
   * Appends to the team's ledger what was decided with its first `after` records. The ledger here is up to date then.
   *
   * @returns false if there are other records meanwhile: decide again
   * @throws StoreError as {@link commit}: it is then unknown whether they were written
   */
  async commitLedger(team: Name, after: number, lines: readonly string[]): Promise<boolean> {
    return (await this.#ask('ledger', team, JSON.stringify({ after, lines }))).isBehind !== true;
  }

  /**
   * Appends to the ledger of the user's day, or has the relay say which day it is. The ledger here is up to date then.
   *
   * @returns false if there are other records meanwhile, or the day is another one
   * @throws StoreError as {@link commit}: it is then unknown whether they were written
   */
  async commitSpending(asked: SpendingAsked): Promise<boolean> {
    return (await this.#ask('spending', NO_TEAM, JSON.stringify(asked))).isBehind !== true;
  }

  /** Tells the other machines of a vendor that is called here. @throws StoreError as {@link commit} */
  async tellPace(told: PaceTold): Promise<void> {
    await this.#ask('pace', NO_TEAM, JSON.stringify(told), LEAST_MS);
  }

  /**
   * Takes the name of a host, holds it for longer, or gives it back.
   *
   * @returns the process that has the name now
   * @throws StoreError as {@link commit}
   */
  async askForHost(asked: HostAsked): Promise<string | undefined> {
    return (await this.#ask('host', NO_TEAM, JSON.stringify(asked), LEASE_PATIENCE_MS)).owner;
  }

  /** @returns the hosts that start members of a team of this name. @throws StoreError as {@link commit} */
  async hosts(team: Name): Promise<readonly KnownHost[]> {
    // Only who places members needs the form of them.
    const { knownHostsSchema } = await import('./team-hosts.ts');
    const known = jsonAnswer(knownHostsSchema, (await this.#ask('hosts', team, '')).text ?? '');
    if (!known.ok) throw new StoreError('ENGINE_UNREACHABLE', `The relay answered no list of hosts: ${known.why}`);
    return known.value.hosts;
  }

  /**
   * Places a member on a host, takes its place away, or says how its process ended there. The replica shows it then.
   *
   * @returns false if the host is gone, or has no free slot
   * @throws StoreError as {@link commit}
   */
  async askForPlacement(team: Name, asked: PlacementAsked): Promise<boolean> {
    return (await this.#ask('placement', team, JSON.stringify(asked))).isBehind !== true;
  }

  /** The connection of this process to the relay ends with the last client. */
  [Symbol.dispose](): void {
    this.#connection?.leave();
    this.#connection = undefined;
  }

  /** What is asked from now on waits so long for its answer, in milliseconds; a lease does not. */
  waitFor(ms: number): void {
    this.#patienceMs = ms;
  }

  /** The process must end: what a store or a relay that is away does not answer within seconds stays unknown. */
  hurry(): void {
    if (this.#hurriedTo !== undefined) return;
    this.#hurriedTo = this.#clock.monotonic() + HURRY_MS;
    setTimeout(() => this.#connection?.giveUp(), HURRY_MS).unref();
  }

  get #relay(): LastingConnection {
    return (this.#connection ??= LastingConnection.to(this.#paths.relay));
  }

  #patience(ms: number): number {
    if (this.#hurriedTo === undefined) return ms;
    return Math.min(ms, Math.max(this.#hurriedTo - this.#clock.monotonic(), LEAST_MS));
  }

  /** A relay holds the lock of the root from before it serves: it first reads what the store has. */
  #isStarting(): boolean {
    const lock = lockStateOf(this.#disk, this.#paths.relayLock);
    return lock.kind === 'held' && livenessOf(lock.by) === 'alive';
  }

  async #ask(what: RelayRequest['do'], team: Name, body: string, patienceMs = this.#patienceMs): Promise<Accepted> {
    const head = JSON.stringify({ do: what, team, seal: this.#seal.signText(sealedRequest(what, team, body)) });
    const begun = this.#clock.monotonic();
    for (let wasHeard = false; ;) {
      requireUndiverged(this.#disk, this.#paths);
      const left = begun + this.#patience(patienceMs) - this.#clock.monotonic();
      try {
        const said = await this.#relay.ask(`${head}\n${body}`, Math.max(left, 1));
        this.#hasServed = true;
        return accepted(said);
      } catch (error) {
        const code = codeOf(error) ?? '';
        if (!BROKEN.has(code)) throw error;
        // A relay that was killed is started anew; the record has its id, and counts once.
        wasHeard ||= code === 'ECONNRESET';
        const isThere = wasHeard || this.#hasServed || code === 'ETIMEDOUT';
        const waited = this.#clock.monotonic() - begun;
        if (!isThere && (waited >= START_MS || left <= AGAIN_MS) && !this.#isStarting())
          throw noRelay(this.#root, error);
        if (left <= AGAIN_MS) throw unanswered(this.#root, error);
        await this.#clock.sleep(AGAIN_MS);
      }
    }
  }
}

/** `EAGAIN`: more want to connect at once than the system keeps in a queue. */
const BROKEN: ReadonlySet<string> = new Set(['EAGAIN', 'ECONNRESET', 'ECONNREFUSED', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

type Accepted = Extract<RelayAnswer, { ok: true }>;

/** Most answers say this and no more. */
const DONE = relayAnswer({ ok: true });

function accepted(text: string): Accepted {
  if (text === DONE) return { ok: true };
  const answer = relayAnswerIn(text);
  if (answer === undefined)
    throw new StoreError('ENGINE_UNREACHABLE', `The relay answered ${JSON.stringify(text.slice(0, 200))}.`);
  if (answer.ok) return answer;
  const { code, why } = answer;
  if (code === 'TEAM_EXISTS') throw new ConflictError(code, why);
  const known = (['ENGINE_DIVERGED', 'ENGINE_UNFIT', 'NO_SPACE', 'TEAM_GONE'] as const).find((one) => one === code);
  throw new StoreError(known ?? 'ENGINE_UNREACHABLE', why);
}

const noRelay = (root: string, cause: unknown): StoreError =>
  new StoreError(
    'ENGINE_UNREACHABLE',
    `No relay runs for ${root}, so nothing can be written there: start it with \`teams store relay --root ${root}\`.`,
    { cause },
  );

const unanswered = (root: string, cause: unknown): StoreError =>
  new StoreError(
    'ENGINE_UNREACHABLE',
    `The relay of ${root} got no answer of the store in time; it is unknown whether the change was written: look, then repeat it.`,
    { cause },
  );
