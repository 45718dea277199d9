/**
 * Subagents: agents that do one task and end. Each runs in a thread of a pool with a bounded queue. A thread that
 * crashes is an error result, and the pool goes on. What a subagent started carries a mark and ends with the subagent
 * or with this process. Results of background subagents are collected once, by id.
 */
import { MessageChannel } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { newId } from '../../store/files/new-ids.ts';
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import type { spendingEvent } from '../../model/team/spending-sum.ts';
import { afterRunning } from '../../os/work-timer.ts';
import { realClock } from '../../os/system-clock.ts';
import { marks } from '../../os/draw-marks.ts';
import { markEnvironment } from '../../os/mark-environment.ts';
import { reaperCommand, subagentProgram } from '../process/package.ts';
import { startReaper, type Reaper } from '../../os/reaper-handle.ts';
import type { FromSubagent, SubagentEnd, SubagentMessage, SubagentTask, ToSubagent } from './subagent-message.ts';
import { SubagentLedger } from './subagent-ledger.ts';
import type { HeldProgram } from '../isolation/open-program-isolation.ts';
import { insideEnvironment } from '../isolation/member-server.ts';
import { isolateSubagent, type SubagentSurroundings } from './subagent-isolation.ts';
import { sweep } from '../../os/sweep.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import type { Spender } from '../budget/spender-ledgers.ts';

export type { SubagentTask, SubagentEnd } from './subagent-message.ts';

interface SubagentLimits {
  readonly threads: number;
  /** Subagent tasks that may wait for a thread. */
  readonly queue: number;
  /** Megabytes of a thread's heap. */
  readonly heapMb: number;
  /** Milliseconds after which a thread that was told to stop is ended, and all that it started is killed. */
  readonly graceMs: number;
}

interface SubagentOptions extends Partial<SubagentLimits> {
  /** Called with an event for each usage of a subagent. */
  readonly onSpent?: (event: ReturnType<typeof spendingEvent>) => void;
  /** Whose budget it uses; undefined where nothing can be limited. */
  readonly spender?: () => (Spender & PriceRules) | undefined;
  readonly surroundings: SubagentSurroundings;
}

/** The grace time is short: a host kills a process 4 s after it has closed its stdin. */
const LIMITS: SubagentLimits = { threads: 4, queue: 32, heapMb: 256, graceMs: 2_000 };
const IDLE_MS = 30_000;
/** Milliseconds that a subagent task may wait for a thread before the grace time counts. */
const WAITED_MS = 3_600_000;

type LineListener = (line: string) => void;

/** How a task is handed to a thread. */
interface Posted {
  readonly ledger: SubagentLedger;
  readonly signal: AbortSignal;
  readonly onLine: LineListener;
}

interface Background {
  readonly stop: AbortController;
  readonly ended: Promise<SubagentEnd>;
  end: SubagentEnd | undefined;
  /** The last line of its output. */
  line: string | undefined;
}

export class Subagents {
  readonly #limits: SubagentLimits;
  readonly #onSpent: SubagentOptions['onSpent'];
  readonly #spender: SubagentOptions['spender'];
  readonly #surroundings: SubagentSurroundings;
  readonly #background = new Map<string, Background>();
  readonly #running = new Set<Promise<SubagentEnd>>();
  readonly #closing = new AbortController();
  readonly #run = newId(realClock.now());
  #reaper: Reaper | undefined;
  #pool: Promise<Piscina<SubagentMessage, SubagentEnd>> | undefined;
  #started = 0;
  /** Subagents that began, in the foreground and in the background. */
  #drawn = 0;
  #waiting = 0;

  constructor({ onSpent, spender, surroundings, ...limits }: SubagentOptions) {
    this.#onSpent = onSpent;
    this.#spender = spender;
    this.#surroundings = surroundings;
    this.#limits = { ...LIMITS, ...limits };
  }

  /**
   * Runs one subagent task to its end. The answer is how it ended; it never rejects because of what the agent did.
   *
   * @param onLine called with the last line of its output whenever that changes
   * @throws ConflictError `QUOTA` when the queue is full; AgentError `AGENT_UNAVAILABLE` (exit 5) if isolation is
   * required and does not work
   */
  async run(subagentTask: SubagentTask, signal: AbortSignal, onLine: LineListener = () => {}): Promise<SubagentEnd> {
    const { threads, queue } = this.#limits;
    if (this.#waiting >= threads + queue)
      throw new ConflictError('QUOTA', `${this.#waiting} subagents run or wait already; collect or stop some first.`);
    this.#waiting += 1;
    const running = this.#withinBudget(subagentTask, AbortSignal.any([signal, this.#closing.signal]), onLine);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      this.#waiting -= 1;
    }
  }

  async #withinBudget(task: SubagentTask, signal: AbortSignal, onLine: LineListener): Promise<SubagentEnd> {
    this.#drawn += 1;
    const ledger = new SubagentLedger({
      task,
      id: `subagent ${this.#run} ${this.#drawn}`,
      spender: this.#spender?.(),
      onSpent: this.#onSpent,
      onLine,
    });
    const begun = await ledger.begin(signal);
    if (typeof begun === 'string')
      return { kind: 'failed', why: 'refused', text: '', message: `Its budget: ${begun}.` };
    const end = await this.#marked(task, { ledger, signal: begun, onLine });
    await ledger.end(end);
    return end;
  }

  /**
   * Starts one in the background.
   *
   * @returns the id for {@link output}
   * @throws as {@link run}
   */
  start(subagentTask: SubagentTask): string {
    const stop = new AbortController();
    const onLine = (line: string): void => void (background.line = line);
    const ended = this.run(subagentTask, stop.signal, onLine).catch(failed);
    const background: Background = { stop, ended, end: undefined, line: undefined };
    void background.ended.then((end) => (background.end = end));
    this.#started += 1;
    const id = `agent-${this.#started}`;
    this.#background.set(id, background);
    return id;
  }

  /**
   * Waits for the end of a background subagent until `signal` aborts.
   *
   * @returns how it ended; undefined while it runs
   */
  async output(id: string, signal: AbortSignal): Promise<SubagentEnd | undefined> {
    const background = this.#known(id);
    const enough = new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const end = background.end ?? (await Promise.race([background.ended, enough]));
    if (end !== undefined) this.#background.delete(id);
    return end;
  }

  /** The last line that a background subagent printed. */
  lineOf(id: string): string | undefined {
    return this.#background.get(id)?.line;
  }

  /**
   * Stops a background subagent and waits until it has ended.
   *
   * @returns how it ended
   */
  async stop(id: string): Promise<SubagentEnd> {
    const background = this.#known(id);
    background.stop.abort();
    const end = await background.ended;
    this.#background.delete(id);
    return end;
  }

  /** Stops all running subagents and the pool. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    const pool = await this.#pool;
    await pool?.destroy();
    await this.#reaper?.done();
  }

  #known(id: string): Background {
    const background = this.#background.get(id);
    if (background) return background;
    const known = [...this.#background.keys()].join(', ') || 'none';
    throw new UsageError('UNKNOWN_TASK', `There is no background subagent ${JSON.stringify(id)}; there are: ${known}.`);
  }

  /** When this settles, everything that the subagent started has ended, also in other sessions. */
  async #marked(subagentTask: SubagentTask, posted: Posted): Promise<SubagentEnd> {
    const drawn = marks.draw(1, this.#run);
    this.#reaper ??= startReaper(reaperCommand);
    for (const mark of drawn) this.#reaper.add(mark);
    const env = drawn.reduce((known, mark) => ({ ...known, ...markEnvironment(mark) }), subagentTask.env);
    let isolation: HeldProgram | undefined;
    try {
      isolation = await isolateSubagent(subagentTask, this.#surroundings);
      return await this.#post({ ...subagentTask, env }, isolation, posted);
    } finally {
      await sweep(drawn, []);
      await isolation?.close();
      for (const mark of drawn) {
        this.#reaper.remove(mark);
        marks.giveBack(mark);
      }
    }
  }

  /**
   * Hands the task to a thread. On abort the thread is first asked to stop, so that it ends its children; after the
   * grace time it is ended.
   */
  async #post(
    given: SubagentTask,
    held: HeldProgram | undefined,
    { ledger, signal, onLine }: Posted,
  ): Promise<SubagentEnd> {
    const { setting, lend, team } = this.#surroundings;
    const commands = { setting, lend, team: [...team()] };
    const subagentTask =
      held === undefined ? given : { ...given, cwd: held.shownAt ?? given.cwd, env: insideEnvironment(given.env) };
    // A function cannot go into a thread. An empty argv is wrapped whether its program exists or not.
    const isolation = held && { argv: held.hold([], subagentTask.env), home: held.home };
    const pool = await (this.#pool ??= this.#open());
    const isCalledOff = (): boolean => signal.aborted;
    if (isCalledOff()) return { kind: 'aborted' };
    const { port1: ours, port2: port } = new MessageChannel();
    const tell = (message: ToSubagent): void => ours.postMessage(message);
    const kill = new AbortController();
    const { graceMs } = this.#limits;
    // The turn has a timeout of its own; this one is for a thread that does not react.
    let disarm = afterRunning(subagentTask.timeoutMs + WAITED_MS + graceMs, () => kill.abort());
    const onAbort = (): void => {
      tell('stop');
      disarm();
      disarm = afterRunning(graceMs, () => kill.abort());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    ours.on('message', (message: FromSubagent) => {
      if ('line' in message) onLine(message.line);
      else void ledger.answer(message.event, signal).then((answer) => tell({ answer }));
    });
    try {
      return await pool.run(
        { ...commands, subagentTask, isolation, port },
        { transferList: [port], signal: kill.signal },
      );
    } catch (error) {
      return isCalledOff() ? { kind: 'aborted' } : failed(error);
    } finally {
      disarm();
      signal.removeEventListener('abort', onAbort);
      ours.close();
    }
  }

  async #open(): Promise<Piscina<SubagentMessage, SubagentEnd>> {
    const { Piscina } = await import('piscina');
    const { threads, queue, heapMb } = this.#limits;
    // At least one thread: with none, waiting tasks would not start after a crash.
    const pool = new Piscina<SubagentMessage, SubagentEnd>({
      filename: subagentProgram,
      minThreads: 1,
      maxThreads: threads,
      maxQueue: queue,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    // A thread that dies without a task has no effect.
    pool.on('error', () => undefined);
    return pool;
  }
}

const failed = (error: unknown): SubagentEnd => ({
  kind: 'failed',
  why: 'crashed',
  text: '',
  message: `the subagent's thread ended: ${error instanceof Error ? error.message : String(error)}`,
});
