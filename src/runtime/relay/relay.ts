/**
 * The relay of a replica: the one process of a machine that talks to the engine for its teams, and the only writer of
 * their logs here. Records of one moment go in one transaction (`gathering.ts`); each is answered when the replica has it.
 *
 *   connected ─lost─→ cut off: appends wait ─an address answers─→ every last record is as the engine has it ─→ connected
 *                                                           └─→ one is not: DIVERGED, and nothing is written any more
 */
import type { EngineAddress } from '../../model/config/engine-address.ts';
import { shownAddress } from '../../model/config/engine-address.ts';
import { codeOf, isTeamError, StoreError } from '../../model/text/errors.ts';
import type { Clock } from '../../model/text/clock.ts';
import { LastingServer } from '../../os/connection/lasting-server.ts';
import { SessionLost } from '../../store/engine/engine-queries.ts';
import { EngineSession, type EngineListener } from '../../store/engine/engine-session.ts';
import { holdReplica, noteDivergence } from '../../store/engine/replica-place.ts';
import { relayAnswer, type RelayAnswer } from '../../store/replica/relay-answer.ts';
import { relayRequest } from '../../store/replica/relay-request.ts';
import { openSeal, type Seal } from '../../store/user/seal.ts';
import { isCopiedReplica, markReplica, noteConnected, noteCutOff } from '../../store/replica/replica-root.ts';
import { FILE_MODE, realDisk } from '../../store/files/disk.ts';
import { rootPaths } from '../../store/files/paths.ts';
import { Gathering } from './gathering.ts';
import type { Waiting } from './relay-acts.ts';
import { RelayTeams } from './relay-teams.ts';
import { RelayWake } from './relay-wake.ts';

const AGAIN_MS = 250;
/** A store that has not answered for so long is not heard, also if the session is not lost yet. */
const SILENT_MS = 5_000;

interface RelayOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onServing: () => void;
  /** It ends when no process was connected to it for so long; without it only by the signal. */
  readonly idleMs?: number | undefined;
  /** Called when it is cut off, and when it is connected again. */
  readonly tell: (text: string) => void;
}

/**
 * Serves a replica until the signal, or until nobody needs it.
 *
 * @throws StoreError `ENGINE_UNREACHABLE`, `ENGINE_UNFIT` at the start; `ENGINE_DIVERGED`; ConflictError `REFUSED` if
 *   another relay serves this root
 */
export async function serveReplica(root: string, address: EngineAddress, options: RelayOptions): Promise<void> {
  const { relay: socket } = rootPaths(root);
  // An address that is wrong leaves no folder.
  const relay = new Relay(root, address, options);
  const session = await EngineSession.open(address, options.clock, relay.listener);
  let server: LastingServer | undefined;
  let release = (): void => {};
  try {
    release = holdReplica(root, shownAddress(address), options.clock);
    const isCopy = isCopiedReplica(realDisk, root);
    await relay.connect(session, isCopy);
    // The store knows now where the events of this folder begin.
    if (isCopy) markReplica(realDisk, root, shownAddress(address));
    server = await listen(socket, (question, from) => relay.hear(question, from));
    options.onServing();
    await relay.run(server);
  } catch (error) {
    if (isTeamError(error) && error.code === 'ENGINE_DIVERGED') noteDivergence(root, error.message);
    relay.refuseAll(error);
    throw error;
  } finally {
    await server?.close();
    await relay.close();
    relay.forget();
    await session.close();
    release();
  }
}

async function listen(
  socket: string,
  answer: (question: Buffer, from: object) => Promise<string>,
): Promise<LastingServer> {
  try {
    const server = await LastingServer.listen(socket, answer);
    // The folder is the user's own, too.
    realDisk.chmodSync(socket, FILE_MODE);
    return server;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StoreError('IO', `${error.message} Use a shorter --root.`, { cause: error });
  }
}

class Relay {
  readonly #root: string;
  /** Whether the replica may say that it is cut off. */
  #isNoted = true;
  readonly #address: EngineAddress;
  readonly #options: RelayOptions;
  readonly #seal: Seal = openSeal(realDisk);
  readonly #teams: RelayTeams;
  #waiting: Waiting[] = [];
  #session: EngineSession | undefined;
  /** The highest timeline that was seen: an old primary that comes back is not believed. */
  #timeline = 0;
  readonly #wake: RelayWake;
  readonly #gathering: Gathering;
  /** When the round began that is not over, by the clock (`now`). */
  #begun: number | undefined;
  /** Set anew for each round. */
  #late: NodeJS.Timeout | undefined;
  /** When a process was connected last, or could be first, by the clock. */
  #neededAt = 0;

  constructor(root: string, address: EngineAddress, options: RelayOptions) {
    this.#root = root;
    this.#teams = new RelayTeams(root, options.clock);
    this.#address = address;
    this.#options = options;
    this.#wake = new RelayWake(options.clock);
    this.#gathering = new Gathering(options.clock);
    options.signal.addEventListener('abort', this.#wake.wake);
  }

  readonly listener: EngineListener = {
    onNews: (what) => {
      this.#teams.heardOf(what);
      // Records of others are read with the next transaction; all else may be waited for.
      if (!what.startsWith('log ')) this.#gathering.hurry();
      this.#wake.wake();
    },
    // The news that follow wake the relay.
    onMail: (mail) => this.#teams.heardMail(mail),
  };

  /**
   * One request of a process of this machine, and the answer.
   *
   * @param from stands for the process
   */
  async hear(question: Buffer, from: object): Promise<string> {
    return relayAnswer(await this.#answered(question.toString('utf8'), from));
  }

  #answered(text: string, from: object): RelayAnswer | Promise<RelayAnswer> {
    const request = relayRequest(text, this.#seal);
    if (request === undefined)
      return { ok: false, code: 'ENGINE_UNFIT', why: 'The relay does not know who asks, or what.' };
    this.#neededAt = this.#options.clock.monotonic();
    return new Promise((answer) => {
      this.#waiting.push({ request, answer });
      if (request.do === 'append') this.#gathering.appends(from);
      else this.#gathering.hurry();
      this.#wake.wake();
    });
  }

  /**
   * Connects, and reads what the engine has.
   *
   * @param isCopy whether the root was copied from that of another machine
   */
  async connect(session: EngineSession, isCopy = false): Promise<void> {
    try {
      const { timeline } = session.server;
      if (timeline < this.#timeline)
        throw new StoreError(
          'ENGINE_UNREACHABLE',
          `Only a server on timeline ${String(timeline)} answers, and ${String(this.#timeline)} was seen: it was replaced.`,
        );
      this.#timeline = timeline;
      await this.#teams.connect(session, isCopy);
      this.#session = session;
      this.#heard();
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  async run(clients: LastingServer): Promise<void> {
    const { signal, clock, tell } = this.#options;
    // Nobody could come before it served.
    this.#neededAt = clock.monotonic();
    while (!signal.aborted && !this.#isIdle(clients)) {
      try {
        this.#session ??= await this.#again(clients);
        if (this.#session === undefined) break;
        await this.#gathering.whole();
        await this.#round(this.#session);
      } catch (error) {
        if (!(error instanceof SessionLost)) throw error;
        await this.close();
        this.#notHeard(clock.now());
        tell('Cut off from the store; appends wait.');
        continue;
      }
      if (this.#waiting.length === 0) await this.#wake.wait(this.#teams.looksAt);
    }
  }

  #isIdle(clients: LastingServer): boolean {
    const { clock, idleMs } = this.#options;
    if (clients.count > 0 || this.#waiting.length > 0) this.#neededAt = clock.monotonic();
    return idleMs !== undefined && clock.monotonic() - this.#neededAt > idleMs;
  }

  /** @returns undefined when the relay ends */
  async #again(clients: LastingServer): Promise<EngineSession | undefined> {
    const { signal, clock, tell } = this.#options;
    for (;;) {
      if (signal.aborted || this.#isIdle(clients)) return undefined;
      try {
        await this.connect(await EngineSession.open(this.#address, clock, this.listener, this.#timeline));
        this.#teams.reconnected();
        tell('Connected to the store again.');
        return this.#session;
      } catch (error) {
        const isAway =
          error instanceof SessionLost || ['ENGINE_UNREACHABLE', 'ENGINE_UNFIT'].includes(codeOf(error) ?? '');
        if (!isAway) throw error;
        await clock.sleep(AGAIN_MS, signal);
      }
    }
  }

  /** Writes what waits, and reads what is new. */
  async #round(session: EngineSession): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#gathering.begin();
    this.#begun = this.#options.clock.now();
    this.#late = this.#late?.refresh() ?? setTimeout(() => this.#isLate(), SILENT_MS).unref();
    try {
      const answers = await this.#teams.round(session, waiting);
      this.#gathering.end();
      this.#heard();
      for (const { one, said } of answers) one.answer(said);
    } catch (error) {
      // It is unknown what was written: it is sent again, and keeps its number.
      this.#waiting.unshift(...waiting);
      throw error;
    } finally {
      this.#begun = undefined;
    }
  }

  #isLate(): void {
    if (this.#begun !== undefined) this.#notHeard(this.#begun);
  }

  /** @param since milliseconds since 1970 */
  #notHeard(since: number): void {
    this.#isNoted = true;
    noteCutOff(realDisk, this.#root, since);
  }

  #heard(): void {
    if (this.#isNoted) noteConnected(realDisk, this.#root);
    this.#isNoted = false;
  }

  /** At its end, not when the session is lost. */
  forget(): void {
    this.#wake.end();
    clearTimeout(this.#late);
    this.#teams.close();
  }

  refuseAll(error: unknown): void {
    const why = error instanceof Error ? error.message : String(error);
    for (const { answer } of this.#waiting.splice(0)) answer({ ok: false, code: codeOf(error) ?? '', why });
  }

  async close(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }
}
