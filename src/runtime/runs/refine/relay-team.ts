/**
 * The backends of a loop as a team with the profile relay (docs/specification.md R9.4): one worker process each, whose
 * first task is on the board when it starts. Backends that may write work in turn: the task of the second waits for
 * that of the first.
 */
import type { TreeNeeds } from '../../../model/team/isolation.ts';
import type { Sandbox } from '../../../model/agent/agent.ts';
import type { Backend } from '../../../model/pipeline/backend.ts';
import type { BudgetAccount } from '../../../model/team/budget-account.ts';
import { codeOf } from '../../../model/text/errors.ts';
import { parseName, type Name } from '../../../model/text/names.ts';
import type { RelayOutcome } from '../../../model/pipeline/round.ts';
import { slug } from '../../../model/text/slug.ts';
import { isFinal, newTaskSchema, type NewTaskInput, type Task } from '../../../model/board/task.ts';
import { refusedForGood } from '../../../policy/budget/overview.ts';
import { failedCall, relayOutcome } from '../../../policy/refine/relay-outcome.ts';
import { readResult } from '../../../store/board/results.ts';
import type { TeamPaths } from '../../../store/files/paths.ts';
import { findTeam } from '../../../store/team/team-list.ts';
import type { TreePlace } from '../../landing/tree-place.ts';
import { closeTeam } from '../close-team.ts';
import { RELAY_ROLE } from './refine-setup.ts';
import type { RoundLanding } from './round-landing.ts';
import { RunSession, type SessionOptions } from '../session.ts';
import { Tasks } from '../../team/task-service.ts';
import { makeTeam, type OpenOptions, type TeamHandle } from '../../team/team-handle.ts';
import { Waker } from '../../process/waker.ts';

interface RelayTeamInput {
  readonly task: string;
  readonly backends: readonly Backend[];
  readonly sandbox: Sandbox;
  /** The first prompt of each backend; the tasks are made before the workers start. */
  readonly prompts: ReadonlyMap<Name, string>;
  readonly cwd: string;
  readonly envPass: readonly string[];
  readonly timeoutMs: number;
  readonly open: OpenOptions;
  readonly session: SessionOptions;
  /** Each worker has a tree of its own. */
  readonly trees: 'trees' | undefined;
  readonly needs: TreeNeeds | undefined;
}

/** The results of a call. `silent` lists the backends that did not answer within their time and {@link SILENT_MS}. */
interface RelayAnswers {
  readonly outcomes: ReadonlyMap<Name, RelayOutcome>;
  readonly silent: readonly Name[];
}

/** Milliseconds after the time of its call until a worker counts as silent. */
const SILENT_MS = 30_000;
/** Characters; a longer prompt does not fit into a task of the board. */
export const LONGEST_PROMPT = 262_144;
const MOST_NAMES = 100;

export class RelayTeam {
  readonly #input: RelayTeamInput;
  readonly #session: RunSession;
  readonly #loop: Promise<unknown>;
  readonly #board: Tasks;
  /** The present call: backend → task. */
  #asked: ReadonlyMap<Name, string>;
  #calls = 1;
  readonly #landing: RoundLanding | undefined;

  private constructor(input: RelayTeamInput, session: RunSession, landing: RoundLanding | undefined) {
    this.#landing = landing;
    this.#input = input;
    this.#session = session;
    this.#board = new Tasks(session.store, session.speaker);
    this.#asked = new Map([...input.prompts.keys()].map((name, at) => [name, String(at + 1)]));
    // A lead that loses its team ends its loop; callers then see silent backends.
    this.#loop = session.run().catch((error: unknown) => error);
  }

  /**
   * Makes the team and starts its workers, all together.
   *
   * @throws TeamError if it cannot be made or a worker does not start; what was started is then stopped
   */
  static async open(input: RelayTeamInput, signal: AbortSignal): Promise<RelayTeam> {
    const handle = make(input);
    const { paths } = handle;
    await handle[Symbol.asyncDispose]();
    const options = relayOptions(input.session);
    try {
      const session = await RunSession.open(paths, options);
      let landing: RoundLanding | undefined;
      try {
        await session.note({ status: 'active', phase: 'setup', template: 'refine', prompt: input.task });
        landing = await landingOf(input, session, signal);
        await session.start(session.startable(), signal);
        return new RelayTeam(input, session, landing);
      } catch (error) {
        await landing?.close();
        await session.close();
        throw error;
      }
    } catch (error) {
      await closeTeam(paths, { purpose: 'delete', force: true, now: true }, options);
      throw error;
    }
  }

  get name(): Name {
    return this.#session.store.paths.name;
  }

  /** For agents that the loop runs itself. */
  get spender(): RunSession['spender'] {
    return this.#session.spender;
  }

  /** What is limited and spent; undefined where nothing is limited. */
  account(): BudgetAccount | undefined {
    return this.#session.store.ledger.look();
  }

  /** The team's folders. */
  get folders(): readonly string[] {
    const { folder, board } = this.#session.store.paths;
    return [folder, board];
  }

  /** Where the work of a backend lies, if it has a tree of its own. */
  placeOf(backend: Name): TreePlace | undefined {
    return this.#landing?.placeOf(workerOf(backend, this.#input.backends));
  }

  /** The change of a backend in this round, or all that landed, as git prints it; undefined without trees. */
  async changes(backend: Name | undefined, signal: AbortSignal): Promise<string | undefined> {
    return this.#landing?.changes(backend === undefined ? undefined : this.#asked.get(backend), signal);
  }

  /**
   * Ends a round: the change of its winner lands, the others are kept below `left/`.
   *
   * @param winner absent: a result of an earlier round is better
   */
  async settle(winner: Name | undefined, signal: AbortSignal): Promise<void> {
    await this.#landing?.settle([...this.#asked.values()], winner && this.#asked.get(winner), signal);
  }

  /** Waits for the answers to the first prompts. */
  first(signal: AbortSignal): Promise<RelayAnswers> {
    return this.#answers(signal);
  }

  /** Asks again with new prompts and waits for the answers. */
  async ask(prompts: ReadonlyMap<Name, string>, signal: AbortSignal): Promise<RelayAnswers> {
    this.#calls += 1;
    const asked = new Map<Name, string>();
    for (const [name, prompt] of prompts) {
      const before = inTurn(this.#input) ? [...asked.values()].slice(-1) : [];
      const { id } = await this.#board.add({ ...taskOf(this.#input, name, prompt, this.#calls), blockedBy: before });
      asked.set(name, id);
    }
    this.#asked = asked;
    return this.#answers(signal);
  }

  /**
   * Stops the workers and archives the team.
   *
   * @param asked stops workers during a turn whose result is no longer needed
   * @returns where its record is
   */
  async end(asked: boolean): Promise<TeamPaths> {
    // A worker that waits for its budget would wait for ever.
    const now = asked || this.#spent() !== undefined;
    const { paths } = this.#session.store;
    const { session: options, open } = this.#input;
    try {
      this.#session.halt();
      await this.#loop;
      await this.#landing?.stop();
      await this.#session.shutDown({ force: true, now });
      await this.#landing?.close();
      await this.#session.note({ status: 'shutdown', phase: 'complete' });
    } finally {
      await this.#session.close();
    }
    // What landed is applied later.
    if ((await this.#landing?.hasUnapplied()) === true) return paths;
    await closeTeam(paths, { purpose: 'delete', force: true, now }, options);
    return findTeam(open.root, paths.name)?.paths ?? paths;
  }

  /** Waits until each task has ended, a backend is silent for too long, or `signal` aborts. */
  async #answers(signal: AbortSignal): Promise<RelayAnswers> {
    const { store } = this.#session;
    const patience = this.#input.timeoutMs + SILENT_MS;
    let [ended, deadline] = [0, store.clock.monotonic() + patience];
    const waker = new Waker(store, [store.paths.log, store.paths.ledger], signal);
    try {
      for (;;) {
        const open = [...this.#asked].filter(([, id]) => !isAnswered(this.#board.get(id)));
        if (this.#asked.size - open.length > ended) {
          [ended, deadline] = [this.#asked.size - open.length, store.clock.monotonic() + patience];
          await this.#unblockNext();
        }
        const spent = open.length === 0 ? undefined : this.#spent();
        if (spent !== undefined)
          return {
            outcomes: new Map([...this.#outcomes(), ...open.map(([name]) => [name, spent] as const)]),
            silent: [],
          };
        const isLate = store.clock.monotonic() >= deadline;
        if (open.length === 0 || isLate || signal.aborted)
          return { outcomes: this.#outcomes(), silent: isLate ? open.map(([name]) => name) : [] };
        await waker.wait();
      }
    } finally {
      waker.close();
    }
  }

  /** What a call is that waits for a higher limit of the budget. */
  #spent(): RelayOutcome | undefined {
    const account = this.account();
    const why = account && refusedForGood(this.#session.store.board.fold(), account);
    return why === undefined ? undefined : { kind: 'failed', why: 'refused', message: `its budget: ${why}` };
  }

  /** If the task before it failed, the next one in turn starts all the same. */
  async #unblockNext(): Promise<void> {
    for (const id of this.#asked.values()) {
      const task = this.#board.get(id);
      const held = task.blockedBy.map((blocker) => this.#board.get(blocker));
      for (const blocker of held)
        if (task.status === 'pending' && blocker.status === 'failed') await this.#board.unblock(id, blocker.id);
    }
  }

  #outcomes(): Map<Name, RelayOutcome> {
    return new Map(
      [...this.#asked].flatMap(([name, id]): [Name, RelayOutcome][] => {
        const outcome = this.#outcomeOf(this.#board.get(id));
        return outcome === undefined ? [] : [[name, outcome]];
      }),
    );
  }

  #outcomeOf(task: Task): RelayOutcome | undefined {
    const { store } = this.#session;
    if (task.status === 'completed' || task.status === 'landing') {
      const text = readResult(store.disk, store.paths, task.id, task.claims) ?? task.result.summary;
      return relayOutcome({ kind: 'answered', text }, this.#input.sandbox);
    }
    if (!isFinal(task)) return undefined;
    const events = [...store.events.read()].map(({ event }) => event);
    const fault = events.findLast(({ type, task: of }) => type === 'agent.failed' && of === task.id);
    const reason = 'reason' in task ? task.reason : 'it was not done';
    return relayOutcome(
      failedCall(fault?.['fault'], fault?.text ?? reason, fault?.['retry_after_ms']),
      this.#input.sandbox,
    );
  }
}

/** The loop decides about retries and blocked tasks, not the lead: the lead quarantines no member and skips no task. */
const relayOptions = (session: SessionOptions): SessionOptions => ({
  ...session,
  unattended: false,
  endsWhenDone: false,
  limits: { ...session.limits, maxConsecutiveErrors: Number.MAX_SAFE_INTEGER },
});

/** Creates the team `phone-a-team-<slug>`; if the name exists, `-2` and so on. */
function make(input: RelayTeamInput): TeamHandle {
  const words = input.task.split(/\s+/).slice(0, 5).join(' ').slice(0, 40);
  const base = slug(`phone-a-team ${words}`, parseName('team', 'phone-a-team'));
  for (let number = 1; ; number += 1) {
    try {
      return makeTeam(number === 1 ? base : `${base}-${number}`, teamInput(input), input.open);
    } catch (error) {
      if (codeOf(error) !== 'TEAM_EXISTS' || number >= MOST_NAMES) throw error;
    }
  }
}

function teamInput(input: RelayTeamInput) {
  const { backends, sandbox, prompts, cwd, envPass } = input;
  const tasks = [...prompts].map(([name, prompt], at) => ({
    type: 'task.created' as const,
    task: String(at + 1),
    fields: newTaskSchema.parse({
      ...taskOf(input, name, prompt, 1),
      blockedBy: inTurn(input) && at > 0 ? [String(at)] : [],
    }),
  }));
  const members = backends.map(({ name, agent }) => ({
    name: workerOf(name, backends),
    role: RELAY_ROLE,
    agent,
    sandbox,
  }));
  const { trees: isolation, needs: trees } = input;
  return { profile: 'relay' as const, members, cwd, envPass, isolation, trees, changes: tasks };
}

const inTurn = ({ sandbox, trees }: RelayTeamInput): boolean => sandbox !== 'read-only' && trees === undefined;

/** A change that waits for the verdict of its round is an answer. */
const isAnswered = (task: Task): boolean => isFinal(task) || task.status === 'landing';

/** Without trees no module of theirs is loaded. */
async function landingOf(
  { trees }: RelayTeamInput,
  session: RunSession,
  signal: AbortSignal,
): Promise<RoundLanding | undefined> {
  if (trees === undefined) return undefined;
  const { RoundLanding } = await import('./round-landing.ts');
  return RoundLanding.open(session, signal);
}

/** `relay-worker`; with several backends each worker has its backend's name. */
const workerOf = (name: Name, { length }: readonly Backend[]): Name =>
  parseName('member', length === 1 ? 'relay-worker' : `${name.slice(0, 50)}-worker`);

function taskOf({ backends, timeoutMs }: RelayTeamInput, name: Name, prompt: string, call: number): NewTaskInput {
  return {
    subject: `Call ${call} of ${name}`,
    key: `call-${call}-${name}`,
    owner: workerOf(name, backends),
    work: { prompt, timeoutMs },
  };
}
