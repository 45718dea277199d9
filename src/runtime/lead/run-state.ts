/**
 * Writes `state.json`, which people and `teams resume` read (docs/specification.md R1.9). It is derived from the board
 * and the lead's memory.
 */
import { timestamp } from '../../model/text/clock.ts';
import { count, type Board } from '../../model/board/board.ts';
import { tasksOf } from '../../model/board/listed-tasks.ts';
import { pastOf } from '../../model/past/board-past.ts';
import { doneOf, listOf, workOf } from '../../model/board/task-lists.ts';
import type { Name } from '../../model/text/names.ts';
import type { Task } from '../../model/board/task.ts';
import { startSchema } from '../../model/run/run-state.ts';
import type {
  Gate,
  HostState,
  KeptEstimate,
  LandingTrouble,
  Phase,
  RunLife,
  RunState,
  RunStatus,
  WorkerState,
} from '../../model/run/run-state.ts';
import { defined } from '../../model/text/defined.ts';
import { ConflictError, isTeamError } from '../../model/text/errors.ts';
import { lookAt } from '../../store/files/disk.ts';
import { isStateDamage, setStateAside } from '../../store/team/damaged-files.ts';
import { archiveStamp } from '../../store/team/team-list.ts';
import { readableConfig } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { sealedStart } from '../process/safety-ref.ts';
import type { LeadMemory } from './lead-memory.ts';

export interface RunFacts {
  readonly status: RunStatus;
  readonly phase: Phase;
  readonly template?: string;
  readonly prompt?: string;
  readonly planHash?: string;
  readonly sharedFiles?: readonly string[];
  readonly boundaryFiles?: readonly string[];
  readonly cascade?: boolean;
  readonly gates?: readonly Gate[];
  /** An agent of another vendor reviews the work. */
  readonly crossVerify?: boolean;
  readonly verification?: { readonly verifier: string | null; readonly result: Gate['result'] };
  readonly exitCode?: number | undefined;
  readonly waitsFor?: RunState['waitsFor'];
  readonly landing?: LandingTrouble | undefined;
  readonly host?: HostState;
  readonly estimate?: KeptEstimate;
  readonly start?: NonNullable<RunState['start']>;
  readonly lives?: readonly RunLife[];
  readonly viewsOffset?: number;
  readonly noiseOffset?: number;
}

/** Times that a state is put aside before its writer gives up. */
const TRIES = 10;

/** The state of a run, as its lead writes it. One that another program puts in its place is put aside, and written anew. */
export class RunStateFile {
  readonly #store: TeamStore;
  readonly #epoch: number;
  readonly #memory: LeadMemory;
  #facts: RunFacts = { status: 'active', phase: 'setup' };
  #known: RunState | undefined;
  #written: FileLook | undefined;

  /** @param known what an earlier lead wrote */
  constructor({ store, epoch, memory }: StateWriter, known: RunState | undefined) {
    this.#store = store;
    this.#epoch = epoch;
    this.#memory = memory;
    this.#known = known;
  }

  /** Takes up what the next note writes. */
  know(facts: Partial<RunFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  /**
   * Writes what is known now.
   *
   * @throws ConflictError `LEAD_ALIVE`; StoreError
   */
  async note(facts: Partial<RunFacts>): Promise<void> {
    this.know(facts);
    await this.#mended(async () => {
      this.#known = await writeState(this.#store, this.#epoch, this.#memory, this.#facts, this.#known);
    });
    const written = this.#look();
    // Exchanged since, it counts as not written.
    this.#written = this.#isOwn() ? written : undefined;
  }

  /** What is on disk, if this lead or another command of the user wrote it. */
  async read(): Promise<RunState | undefined> {
    return this.#mended(() => this.#store.state.readOwn());
  }

  /** Whether the file is not the one that was written last. It costs one look. */
  isForeign(): boolean {
    const { at, size, changed } = this.#look() ?? {};
    return at !== this.#written?.at || size !== this.#written?.size || changed !== this.#written?.changed;
  }

  #isOwn(): boolean {
    try {
      return this.#store.state.readOwn() !== undefined;
    } catch (error) {
      if (isTeamError(error)) return false;
      throw error;
    }
  }

  #look(): FileLook | undefined {
    const seen = lookAt(this.#store.disk, this.#store.paths.state);
    return seen && { at: seen.ino, size: seen.size, changed: seen.ctimeMs };
  }

  async #mended<Result>(act: () => Result | Promise<Result>): Promise<Result> {
    const { clock, events } = this.#store;
    for (let tries = 1; ; tries += 1)
      try {
        return await act();
      } catch (error) {
        // No newer program writes the state of a run that this one leads.
        const isNewer = isTeamError(error) && error.code === 'NEWER_VERSION' && this.#known !== undefined;
        if (tries === TRIES || !(isNewer || isStateDamage(error))) throw error;
        const damage = setStateAside(this.#store, archiveStamp(clock.now()), error);
        events.append({ type: 'state.set_aside', text: damage });
      }
  }
}

interface StateWriter {
  readonly store: TeamStore;
  readonly epoch: number;
  readonly memory: LeadMemory;
}

interface FileLook {
  readonly at: number;
  readonly size: number;
  /** ctime, which a writer cannot set back. */
  readonly changed: number;
}

/**
 * Writes the present state. The write of a replaced lead is refused under the lock.
 *
 * @param known the state that this lead wrote last: it counts if that was put aside
 * @returns what was written
 * @throws ConflictError `LEAD_ALIVE`
 */
export async function writeState(
  store: TeamStore,
  epoch: number,
  memory: LeadMemory,
  facts: RunFacts,
  known?: RunState,
): Promise<RunState> {
  return store.state.update((current = known) => {
    if (current !== undefined && current.epoch > epoch)
      throw new ConflictError(
        'LEAD_ALIVE',
        `Another lead took over team ${store.paths.name}; this one writes nothing more.`,
      );
    const next = stateOf(store, epoch, memory, facts, current);
    return { next, result: next };
  });
}

function stateOf(
  store: TeamStore,
  epoch: number,
  memory: LeadMemory,
  facts: RunFacts,
  written: RunState | undefined,
): RunState {
  const current = written ?? recalled(store);
  const counts = count(store.board.board);
  const now = timestamp(store.clock.now());
  const { gates = current.gates ?? [], planHash = current.planHash } = facts;
  return {
    ...current,
    version: 1,
    teamName: store.paths.name,
    status: facts.status,
    createdAt: current.createdAt,
    template: facts.template ?? current.template ?? 'custom',
    prompt: facts.prompt ?? current.prompt ?? '',
    phase: facts.phase,
    workers: workersOf(store, memory, current, facts.phase === 'complete'),
    sharedFiles: [...(facts.sharedFiles ?? current.sharedFiles ?? [])],
    boundaryFiles: [...(facts.boundaryFiles ?? current.boundaryFiles ?? [])],
    cascadeEnabled: facts.cascade ?? current.cascadeEnabled ?? false,
    cascadeDepth: memory.past.depth,
    completedTasks: counts.completed,
    totalTasks: counts.total,
    failedTasks: counts.failed,
    crossCliVerification: {
      ...(current.crossCliVerification ?? { verifier: null, result: null }),
      enabled: facts.crossVerify ?? current.crossCliVerification?.enabled ?? false,
      ...facts.verification,
    },
    epoch,
    waitsFor: facts.waitsFor,
    landing: facts.landing,
    // The views show every change before 0: so a team has this from its first state on.
    viewsOffset: facts.viewsOffset ?? current.viewsOffset ?? 0,
    noiseOffset: facts.noiseOffset ?? current.noiseOffset,
    gates: [...gates],
    ...defined({ planHash }),
    ...(facts.phase === 'complete' ? { finishedAt: now } : {}),
    ...defined({
      exitCode: facts.exitCode,
      host: facts.host,
      estimate: facts.estimate,
      start: facts.start,
      lives: facts.lives && [...facts.lives],
    }),
  };
}

/** What the logs say about a run whose state was never written, or was lost. */
function recalled(store: TeamStore): Partial<RunState> & Pick<RunState, 'createdAt'> {
  const created = readableConfig(store)?.created_at;
  const kept = [...store.events.read()].findLast(
    ({ event }) => event.type === 'baseline.saved' || event.type === 'start.kept',
  )?.event;
  const start = startSchema.safeParse(kept);
  return {
    createdAt: timestamp(created === undefined ? store.clock.now() : created * 1_000),
    ...(start.success && store.seal.holds({ ...sealedStart(store, start.data), seal: kept?.['seal'] })
      ? { start: start.data }
      : {}),
  };
}

/** @param isOver the run has ended, and no worker has a process any more */
function workersOf(store: TeamStore, memory: LeadMemory, current: Partial<RunState>, isOver: boolean): WorkerState[] {
  const { board } = store.board;
  const config = readableConfig(store);
  const now = timestamp(store.clock.now());
  return [...board.members.values()].map((member): WorkerState => {
    const before = current.workers?.find((worker) => worker.id === member.name);
    const known = memory.of(member.name);
    const past = pastOf(memory.past, member.name);
    const tasks = newestOf(board, member.name);
    const agent = config?.members.find((one) => one.name === member.name)?.agent;
    return {
      ...before,
      id: member.name,
      taskIds: tasks.map((task) => task.id),
      agentType: member.role,
      model: typeof agent?.['model'] === 'string' ? agent['model'] : (before?.model ?? 'none'),
      routing: agent?.kind ?? before?.routing ?? 'none',
      mcpJobId: null,
      exclusiveFiles: [...new Set(tasks.flatMap((task) => task.work.files))],
      status: known.quarantined
        ? 'quarantined'
        : member.state === 'left' || isOver
          ? 'stopped'
          : board.busy.has(member.name)
            ? 'active'
            : 'idle',
      consecutiveErrors: memory.failuresOf(member.name),
      restartCount: known.restarts,
      lastActivity: timestamp(store.clock.now() - (store.clock.monotonic() - known.progressAt)),
      completedTasks: listOf(board.lists, doneOf(member.name)).size,
      totalAssigned: past.given,
      spawnedAt: past.spawnedAt ?? before?.spawnedAt ?? now,
    };
  });
}

/** More tasks of a worker are not listed: the state is written every second. */
const MOST_TASKS = 200;

/** The newest tasks of a worker, lowest id first. */
function newestOf(board: Board, name: Name): Task[] {
  const ids: number[] = [];
  for (const id of listOf(board.lists, workOf(name)).backwards()) {
    if (ids.length === MOST_TASKS) break;
    ids.push(id);
  }
  return [...tasksOf(board, ids.reverse())];
}
