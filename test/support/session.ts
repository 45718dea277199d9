/**
 * `session`: teams of real processes in a directory of the test. They are led from this process or from a process that
 * can be killed, waited for by their logs, and counted afterwards by their marks. Use it for test/runtime/.
 *
 *     const on = await team({ members: ['ada'], tasks: [{ subject: 'Work', work: { run: 'true' } }] });
 *     expect(await run(on)).toBe('finished');
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import type { scriptedTurnSchema } from '../../src/agents/script.ts';
import { execAgent, type AgentSpec } from '../../src/model/agent/agent.ts';
import type { Board } from '../../src/model/board/board.ts';
import type { Clock } from '../../src/model/text/clock.ts';
import type { Profile } from '../../src/model/board/event.ts';
import { newTaskSchema, type NewTaskInput, type Task } from '../../src/model/board/task.ts';
import type { TeamEvent } from '../../src/model/team/team-event.ts';
import { matches } from '../../src/os/mark-environment.ts';
import type { MemberInput } from '../../src/runtime/team/membership.ts';
import { parseMark } from '../../src/os/reaper-message.ts';
import { RunSession, type SessionOptions } from '../../src/runtime/runs/session.ts';
import { makeTeam, storeOptions, type TeamHandle } from '../../src/runtime/team/team-handle.ts';
import { Waker } from '../../src/runtime/process/waker.ts';
import { isLiving, processes } from '../../src/os/process-table.ts';
import type { TeamPaths } from '../../src/store/files/paths.ts';
import { join as joinTeam } from '../../src/runtime/teammate/join.ts';
import { identityIn } from '../../src/store/team/roster.ts';
import { openStore, type TeamStore } from '../../src/store/team/team-store.ts';
import type { Mark } from '../../src/model/agent/process-mark.ts';
import { defined } from '../../src/model/text/defined.ts';
import { realClock } from './clock.ts';
import { program, type Program } from './programs.ts';
import { onSmallDisk } from './small-disk.ts';
import type { SpawnPoint } from '../fixtures/dying-disk.ts';
import { name } from './team.ts';
import { tempDir } from './temp.ts';

const WITHIN_MS = 15_000;

export interface Input {
  readonly members: readonly (string | MemberInput)[];
  readonly tasks?: readonly NewTaskInput[] | undefined;
  readonly profile?: Profile;
  readonly envPass?: readonly string[];
  readonly planDir?: string;
  /** By default a directory of the test. */
  readonly root?: string;
}

export interface Team {
  readonly root: string;
  readonly paths: TeamPaths;
  readonly handle: TeamHandle;
  readonly board: () => Board;
  readonly task: (id: string) => Task;
  readonly events: (type?: string) => TeamEvent[];
  /** Waits until it holds for the board and the events. */
  readonly until: (what: string, holds: (board: Board) => boolean, withinMs?: number) => Promise<void>;
  /** The marks of every process that a lead started here, as far as its records still exist. */
  readonly marks: () => Mark[];
  readonly find: (member: string) => number | undefined;
  readonly pid: (member: string) => number;
}

/** A team on disk; nothing is started. A member given as a name gets an exec agent, whose tasks name their commands. */
export async function team({ members, tasks = [], profile = 'v8', root = tempDir(), ...input }: Input): Promise<Team> {
  vi.stubEnv('XDG_STATE_HOME', join(root, 'state'));
  const handle = makeTeam(
    'crew',
    {
      profile,
      ...input,
      members: members.map((one) => (typeof one === 'string' ? { name: one, agent: execAgent('true') } : one)),
      changes: tasks.map((task, index) => ({
        type: 'task.created',
        task: String(index + 1),
        fields: newTaskSchema.parse(task),
      })),
    },
    { root, environment: {} },
  );
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await handle.store.close();
  });
  return Promise.resolve(teamOn(root, handle));
}

function teamOn(root: string, handle: TeamHandle): Team {
  const { store, paths } = handle;
  const marks = new Map<string, Mark>();
  const note = (): void => {
    for (const record of store.roster.all()) {
      const mark = parseMark(record.mark);
      if (mark) marks.set(mark.id, mark);
    }
  };
  const find = (member: string): number | undefined =>
    identityIn(store.roster.all().find(({ name }) => name === member))?.pid;
  const board = (): Board => {
    note();
    return store.board.fold();
  };
  return {
    root,
    paths,
    handle,
    board,
    task: (id) => must(board().tasks.get(id), `task #${id}`),
    events: (type) =>
      [...store.events.read()].map(({ event }) => event).filter((event) => type === undefined || event.type === type),
    until: (what, holds, withinMs) => untilSo(store, what, () => holds(board()), withinMs),
    marks: () => {
      note();
      return [...marks.values()];
    },
    find,
    pid: (member) => must(find(member), `process of ${member}`),
  };
}

function must<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`There is no ${what}.`);
  return value;
}

/** Woken by both logs, with a bound. */
async function untilSo(store: TeamStore, what: string, holds: () => boolean, withinMs = WITHIN_MS): Promise<void> {
  const late = AbortSignal.timeout(withinMs);
  const waker = new Waker({ disk: store.disk, clock: realClock }, [store.paths.log, store.paths.events], late);
  try {
    while (!holds()) {
      if (late.aborted) throw new Error(`${what}: not within ${withinMs} ms. The last events: ${tail(store)}`);
      await waker.wait();
    }
  } finally {
    waker.close();
  }
}

const tail = (store: TeamStore): string =>
  [...store.events.read()]
    .slice(-12)
    .map(({ event }) => JSON.stringify(event))
    .join('\n');

export type Options = Partial<Omit<SessionOptions, 'store'>> & { readonly clock?: Clock };

const options = ({ clock = realClock, ...rest }: Options): SessionOptions => ({
  limits: { watchdogWarningMs: 300_000, watchdogReassignMs: 600_000, maxConsecutiveErrors: 3, maxAgents: 5 },
  monitorIntervalMs: 30_000,
  unattended: true,
  endsWhenDone: true,
  ...rest,
  store: { ...storeOptions({}), clock },
});

/** Leads from this process. Closed when the test ends, with any result. */
export async function lead({ paths }: Pick<Team, 'paths'>, given: Options = {}): Promise<RunSession> {
  const session = await RunSession.open(paths, options(given));
  onTestFinished(() => session.close());
  return session;
}

/**
 * Leads until the board is done, and stops everything.
 * @returns why the loop ended
 */
export async function run(on: Team, given: Options = {}): Promise<string> {
  const session = await lead(on, given);
  await session.start(session.startable());
  const { why } = await session.run();
  await session.shutDown({ force: true });
  await session.close();
  return why;
}

/** A lead or a worker as its own process that can be killed and stopped. */
export interface Apart {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Its last line: `ready`, or how it ended. */
  readonly said: () => Said | undefined;
  /** Waits for its end. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: string | null;
    readonly said: Said | undefined;
  }>;
}

const saidSchema = z.object({
  kind: z.enum(['ready', 'ended', 'failed']),
  completed: z.array(z.string()).optional(),
  warned: z.array(z.string()).optional(),
  isHeldUp: z.boolean().optional(),
  lostTask: z.string().optional(),
  code: z.string().optional(),
  text: z.string().optional(),
});
export type Said = z.infer<typeof saidSchema>;

export interface LeadOptions {
  readonly takeover?: boolean;
  /** Stays when the board is done. */
  readonly serves?: boolean;
  /** Kills itself at this point of bob's start. */
  readonly dies?: SpawnPoint;
}

type Place = Pick<Team, 'root' | 'paths'>;

/** Starts a lead process and waits until its teammates are ready, or it has ended. */
export const leadProcess = (
  { root, paths }: Place,
  { takeover = false, serves = false, dies }: LeadOptions = {},
): Promise<Apart> => apart('lead', root, paths.name, JSON.stringify({ takeover, serves, dies }));

/** Starts a worker as a person does, and waits until it is the member or has ended. */
export const workerProcess = ({ root, paths }: Place, member: string): Promise<Apart> =>
  apart('worker', root, paths.name, member);

/** Runs a program of the fixtures on its own small file system, mounted at `at` and visible to it alone. */
export const diskProcess = (at: string, size: string, ...args: string[]): Promise<Apart> => {
  const [file, ...rest] = onSmallDisk(at, size, command('disk', at, ...args));
  return started(file, rest);
};

/** Runs a program of the fixtures without file watching: it and its children get no inotify instances. */
export const unwatched = (...args: string[]): Promise<Apart> =>
  started('unshare', ['-Ur', 'sh', '-c', `${NO_INOTIFY} && exec "$@"`, 'sh', ...command('disk', ...args)]);

const NO_INOTIFY = 'echo 0 > /proc/sys/user/max_inotify_instances';

/** Why that is not possible here. */
export const mustWatch = (): string | undefined =>
  spawnSync('unshare', ['-Ur', 'sh', '-c', NO_INOTIFY]).status === 0
    ? undefined
    : 'no user may have limits of its own here';

const apart = (name: Program, ...args: string[]): Promise<Apart> => {
  const [file, ...rest] = command(name, ...args);
  return started(file, rest);
};

const command = (name: Program, ...args: string[]): [string, ...string[]] => [process.execPath, program(name), ...args];

async function started(file: string, args: readonly string[]): Promise<Apart> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
  return follow(child);
}

async function follow(child: ChildProcess): Promise<Apart> {
  let said: Said | undefined;
  const [exit, closed] = [once(child, 'exit'), once(must(child.stdout ?? undefined, 'stdout'), 'close')];
  const lines = createInterface({ input: must(child.stdout ?? undefined, 'stdout') });
  const first = new Promise<void>((resolve) => lines.once('line', () => resolve()));
  lines.on('line', (line) => (said = saidSchema.parse(JSON.parse(line))));
  const ended = Promise.all([exit, closed]).then(() => ({ code: child.exitCode, signal: child.signalCode, said }));
  await Promise.race([first, ended]);
  return { child, pid: child.pid ?? 0, said: () => said, ended };
}

/** The processes that carry one of these marks now. */
export function living(marks: readonly Mark[]): number[] {
  return processes.list().filter((pid) => {
    const [seen, limits, environ] = [processes.stat(pid), processes.limits(pid), processes.environ(pid)];
    if (typeof seen === 'string' || !isLiving(seen)) return false;
    const suspect = {
      isMine: true,
      startTime: Number(seen.startTime),
      limits: typeof limits === 'string' ? undefined : limits,
      environ: typeof environ === 'string' ? [] : environ,
    };
    return marks.some((mark) => matches(mark, suspect));
  });
}

/** Whether the process of a pid is running. */
export function isRunning(pid: number): boolean {
  const seen = processes.stat(pid);
  return typeof seen !== 'string' && isLiving(seen);
}

/**
 * Waits until no process carries the marks. The bound only catches a process that stays: on a loaded machine, the two
 * seconds of docs/reliability.md are a measured figure and no assertion.
 * @returns how long it took, in ms
 */
export async function untilGone(marks: readonly Mark[], withinMs = WITHIN_MS): Promise<number> {
  const start = performance.now();
  for (let left = living(marks); left.length > 0; left = living(marks)) {
    if (performance.now() - start > withinMs) throw new Error(`Still there after ${withinMs} ms: ${left.join(', ')}`);
    await realClock.sleep(2);
  }
  return performance.now() - start;
}

/** A scripted agent with these turns. */
export const scripted = (...turns: z.input<typeof scriptedTurnSchema>[]): AgentSpec => ({
  kind: 'scripted',
  options: { turns: z.array(z.json()).parse(turns) },
});

export const reopened = (paths: TeamPaths, clock?: Clock): TeamStore =>
  openStore(paths, { ...storeOptions({}), ...defined({ clock }) });

/**
 * Runs a member in this process.
 * @returns a function that ends it
 */
export async function atWork(on: Team, member: string): Promise<() => Promise<void>> {
  const teammate = await joinTeam(reopened(on.paths), name(member), { byHand: true, environment: {} });
  const left = teammate.run();
  const end = async (): Promise<void> => {
    teammate.stop('signal');
    await left;
  };
  onTestFinished(end);
  return end;
}
