/** `state.json`: the run for people and for whoever resumes it, in S2's schema, drawn from the board and the lead's memory. */
import { timestamp } from '../model/clock.ts';
import { count } from '../model/board.ts';
import type { Name } from '../model/names.ts';
import type { Gate, HostState, Phase, RunState, RunStatus, TeamConfig, WorkerState } from '../model/team.ts';
import { ConflictError, isTeamError } from '../model/errors.ts';
import type { TeamReader } from '../store/team-reader.ts';
import type { TeamStore } from '../store/team-store.ts';
import type { Memory } from './memory.ts';

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
  readonly verification?: { readonly verifier: string | null; readonly result: Gate['result'] };
  readonly exitCode?: number;
  readonly host?: HostState;
  readonly start?: NonNullable<RunState['start']>;
}

/** Writes what is true now; an older lead's write is refused under the lock. */
export async function writeState(store: TeamStore, epoch: number, memory: Memory, facts: RunFacts): Promise<void> {
  await store.state.update((current) => {
    if (current !== undefined && current.epoch > epoch)
      throw new ConflictError(
        'LEAD_ALIVE',
        `Another lead took over team ${store.paths.name}; this one writes nothing more.`,
      );
    return { next: stateOf(store, epoch, memory, facts, current), result: undefined };
  });
}

function stateOf(
  store: TeamStore,
  epoch: number,
  memory: Memory,
  facts: RunFacts,
  current: RunState | undefined,
): RunState {
  const counts = count(store.board.board);
  const now = timestamp(store.clock.now());
  const { gates = current?.gates ?? [], planHash = current?.planHash } = facts;
  return {
    ...current,
    version: 1,
    teamName: store.paths.name,
    status: facts.status,
    createdAt: current?.createdAt ?? now,
    template: facts.template ?? current?.template ?? 'custom',
    prompt: facts.prompt ?? current?.prompt ?? '',
    phase: facts.phase,
    workers: workersOf(store, memory, current),
    sharedFiles: [...(facts.sharedFiles ?? current?.sharedFiles ?? [])],
    boundaryFiles: [...(facts.boundaryFiles ?? current?.boundaryFiles ?? [])],
    cascadeEnabled: facts.cascade ?? current?.cascadeEnabled ?? false,
    cascadeDepth: current?.cascadeDepth ?? 0,
    completedTasks: counts.completed,
    totalTasks: counts.total,
    failedTasks: counts.failed,
    crossCliVerification: facts.verification
      ? { enabled: true, ...facts.verification }
      : (current?.crossCliVerification ?? { enabled: false, verifier: null, result: null }),
    epoch,
    gates: [...gates],
    ...(planHash === undefined ? {} : { planHash }),
    ...(facts.phase === 'complete' ? { finishedAt: now } : {}),
    ...(facts.exitCode === undefined ? {} : { exitCode: facts.exitCode }),
    ...(facts.host === undefined ? {} : { host: facts.host }),
    ...(facts.start === undefined ? {} : { start: facts.start }),
  };
}

/** The config, unless somebody broke it by hand: that ends no run, and whoever goes by it says what is wrong with it. */
export function readableConfig({ config }: Pick<TeamReader, 'config'>): TeamConfig | undefined {
  try {
    return config.read();
  } catch (error) {
    if (isTeamError(error) && error.code === 'CORRUPT') return undefined;
    throw error;
  }
}

/** Where a team's agents work. */
export const cwdOf = ({ config, paths }: Pick<TeamReader, 'config' | 'paths'>): string =>
  readableConfig({ config })?.cwd ?? paths.root;

function workersOf(store: TeamStore, memory: Memory, current: RunState | undefined): WorkerState[] {
  const { board } = store.board;
  const config = readableConfig(store);
  const now = timestamp(store.clock.now());
  return [...board.members.values()].map((member): WorkerState => {
    const before = current?.workers.find((worker) => worker.id === member.name);
    const known = memory.of(member.name);
    const tasks = [...board.tasks.values()].filter(
      (task) => task.owner === member.name || claimedBy(task, member.name),
    );
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
        : member.state === 'left'
          ? 'stopped'
          : board.busy.has(member.name)
            ? 'active'
            : 'idle',
      consecutiveErrors: known.consecutiveFailures,
      restartCount: known.restarts,
      lastActivity: now,
      completedTasks: tasks.filter((task) => task.status === 'completed').length,
      totalAssigned: tasks.length,
      spawnedAt: before?.spawnedAt ?? now,
    };
  });
}

const claimedBy = (task: { status: string; claim?: { member: Name }; by?: { member: Name } }, name: Name): boolean =>
  task.claim?.member === name || task.by?.member === name;
