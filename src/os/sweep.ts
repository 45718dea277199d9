/**
 * The sweep ends every process that carries one of some marks, is a known process, or descends from either, wherever it
 * moved. Four callers: the reaper after its lead's end, the lead after each exit, the proof at shutdown, and resume.
 *
 * It never signals itself, its ancestors, another user's process, or a pid whose start time or mark has changed since it
 * was read.
 *
 * A limit whose values are few (one value, or any of RLIMIT_MSGQUEUE) may by chance be another team's. A match by such
 * a limit alone is spared if the environment names the mark of another drawer that lives and is not swept itself.
 */
import { setTimeout } from 'node:timers/promises';
import { codeOf } from '../model/text/errors.ts';
import type { Mark } from '../model/agent/process-mark.ts';
import { isLiving, processes } from './process-table.ts';
import { ancestry, descendants } from './process-tree.ts';
import { drawerOf } from './draw-marks.ts';
import { evidenceOf, noteSweep, type Suspect } from './mark-environment.ts';
import { ENV } from '../model/text/environment.ts';
import type { ProcessIdentity } from '../model/agent/process-identity.ts';
import type { ProcessStat, ProcessTable } from './process-reading.ts';

export interface SweepSeams {
  readonly table?: ProcessTable;
  /** Sends SIGKILL; throws the system's error. */
  readonly kill?: (pid: number) => void;
  readonly sleep?: (ms: number) => Promise<unknown>;
  /** Further pids that are never signalled. */
  readonly except?: readonly number[];
}

interface Swept {
  readonly killed: readonly ProcessIdentity[];
  /** Two passes in a row found nothing. False if a process did not end within the bound, or may not be signalled. */
  readonly clean: boolean;
}

/** About two seconds of passes. */
const MAX_PASSES = 400;
const SETTLE_MS = 5;
/** At most this many passes of one sweep may count as unsure; on a host that forks all the time every pass would. */
const MAX_UNSURE = 40;

interface Hunt {
  /** True while every read since the beginning of the hunt could be made; without them nothing is judged. */
  readonly isSure: () => boolean;
  readonly marks: readonly Mark[];
  readonly known: ReadonlySet<string>;
  readonly table: ProcessTable;
  readonly kill: (pid: number) => void;
  readonly spared: ReadonlySet<number>;
  readonly user: ReturnType<ProcessTable['user']>;
  /** The mark that this process itself carries, as its environment names it: what it starts has the same. */
  readonly ownMark: string | undefined;
  readonly killed: Map<string, ProcessIdentity>;
}

/** `struck` processes were found alive; `missed` ones ended between being listed and being read. */
interface Pass {
  readonly struck: number;
  readonly missed: number;
}

/**
 * Ends all processes of `marks` and `known` and waits until they are gone: two passes in a row must be empty. A pass in
 * which a process ended unseen proves nothing: it may have left a child.
 */
export async function sweep(
  marks: readonly Mark[],
  known: readonly ProcessIdentity[],
  seams: SweepSeams = {},
): Promise<Swept> {
  for (const mark of marks) noteSweep(mark);
  const killed = new Map<string, ProcessIdentity>();
  let hunt = prepare(marks, known, seams, killed);
  const sleep = seams.sleep ?? setTimeout;
  let [empty, unsure] = [hunt.marks.length + hunt.known.size === 0 ? 2 : 0, 0];
  for (let passes = 0; empty < 2 && passes < MAX_PASSES; passes += 1) {
    const before = killed.size;
    // What is spared is known only if it could be read.
    if (!hunt.isSure()) hunt = prepare(marks, known, seams, killed);
    const { struck, missed } = pass(hunt);
    const isUnsure = struck === 0 && missed > 0 && unsure < MAX_UNSURE;
    if (isUnsure) unsure += 1;
    empty = struck === 0 && !isUnsure && hunt.isSure() ? empty + 1 : 0;
    // Processes that fork during the sweep are chased at once; a process that dies slowly is waited for.
    if (empty < 2) await sleep(killed.size > before || isUnsure ? 0 : SETTLE_MS);
  }
  return { killed: [...killed.values()], clean: empty >= 2 };
}

/** Sweeps for several: what comes during a sweep waits for the next one, which is one for all that came. */
export class JointSweep {
  readonly #sweep: (marks: readonly Mark[]) => Promise<unknown>;
  readonly #waiting: Mark[] = [];
  #present: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(sweepAll: (marks: readonly Mark[]) => Promise<unknown> = (marks) => sweep(marks, [])) {
    this.#sweep = sweepAll;
  }

  /** Ends all processes of some marks; begins after this call. */
  async end(marks: readonly Mark[]): Promise<void> {
    if (marks.length === 0) return;
    this.#waiting.push(...marks);
    this.#next ??= this.#after(this.#present);
    await this.#next;
  }

  async #after(present: Promise<unknown>): Promise<void> {
    await Promise.allSettled([present]);
    this.#next = undefined;
    this.#present = this.#sweep(this.#waiting.splice(0));
    await this.#present;
  }
}

function prepare(
  marks: readonly Mark[],
  known: readonly ProcessIdentity[],
  seams: SweepSeams,
  killed: Hunt['killed'],
): Hunt {
  const { table = processes, kill = killNow, except = [] } = seams;
  const refused = table.refused();
  const [bootId, pidNamespace] = [table.bootId(), table.pidNamespace()];
  const isHere = bootId !== '' && pidNamespace !== '';
  return {
    isSure: () => table.refused() === refused,
    marks: marks.filter((mark) => isHere && mark.bootId === bootId),
    known: new Set(
      known.filter((who) => isHere && who.bootId === bootId && who.pidNamespace === pidNamespace).map(keyOf),
    ),
    table,
    kill,
    spared: new Set([...ancestry(table), ...except]),
    user: table.user(table.self),
    ownMark: markIn(table.environ(table.self)),
    killed,
  };
}

/** Pids count up and begin anew at a limit: those above the last one are the oldest. */
function newestFirst(table: ProcessTable): number[] {
  const last = table.lastPid() ?? Infinity;
  const isOlder = (pid: number): number => (pid > last ? 1 : 0);
  return table.list().sort((a, b) => isOlder(a) - isOlder(b) || b - a);
}

/**
 * One pass over all processes, newest first: new forks are at that end and are killed as soon as they are seen, after
 * those that they descend from.
 */
function pass(hunt: Hunt): Pass {
  const { table } = hunt;
  const alive: ProcessStat[] = [];
  const ours = new Set<number>();
  let [struck, missed] = [0, 0];
  for (const pid of newestFirst(table)) {
    const seen = table.stat(pid);
    if (seen === 'gone') missed += 1;
    if (typeof seen === 'string' || !isLiving(seen)) continue;
    alive.push(seen);
    if (!isOurs(hunt, seen)) continue;
    if (pid === table.self || !hunt.spared.has(pid)) ours.add(pid);
    for (const one of lineage(hunt, seen)) if (strike(hunt, one, () => isOurs(hunt, one))) struck += 1;
  }
  for (const seen of descendants(alive, ours)) if (strike(hunt, seen, () => isMine(hunt, seen.pid))) struck += 1;
  return { struck, missed };
}

/**
 * A process of the hunt after those of its ancestors that are of the hunt, too. A shell that outlived its command would
 * go on to the next one.
 */
function lineage(hunt: Hunt, seen: ProcessStat): ProcessStat[] {
  const line = [seen];
  for (let child = seen; !hunt.spared.has(child.parent);) {
    const parent = hunt.table.stat(child.parent);
    if (typeof parent === 'string' || !isLiving(parent) || line.some(({ pid }) => pid === parent.pid)) break;
    if (Number(parent.startTime) > Number(child.startTime) || !isOurs(hunt, parent)) break;
    line.unshift(parent);
    child = parent;
  }
  return line;
}

function isOurs(hunt: Hunt, { pid, startTime }: ProcessStat): boolean {
  if (hunt.known.has(keyOf({ pid, startTime }))) return isMine(hunt, pid);
  const candidates = hunt.marks.filter((mark) => Number(startTime) >= mark.since);
  if (candidates.length === 0) return false;
  const suspect = suspectAt(hunt.table, { pid, startTime }, hunt.user);
  return candidates.some((mark) => {
    const evidence = evidenceOf(mark, suspect);
    return evidence === 'environment' || (evidence === 'limit' && !(isWeak(mark) && isOfAnother(hunt, suspect)));
  });
}

/** What the table says of a process, for the comparison with marks. */
export function suspectAt(
  table: ProcessTable,
  { pid, startTime }: Pick<ProcessStat, 'pid' | 'startTime'>,
  user = table.user(table.self),
): Suspect {
  const [limits, environ] = [table.limits(pid), table.environ(pid)];
  return {
    isMine: typeof user === 'number' && table.user(pid) === user,
    startTime: Number(startTime),
    limits: typeof limits === 'string' ? undefined : limits,
    environ: typeof environ === 'string' ? [] : environ,
  };
}

const isWeak = (mark: Mark): boolean =>
  mark.kind === 'limit' && (mark.resource === 'msgqueue' || mark.low === mark.high);

/** Whether the environment names the mark of another drawer: one that lives and carries none of the swept marks. */
function isOfAnother(hunt: Hunt, { environ }: Suspect): boolean {
  const drawer = drawerOf(environ);
  if (drawer === undefined || markIn(environ) === hunt.ownMark) return false;
  const seen = hunt.table.stat(drawer.pid);
  if (typeof seen === 'string' || seen.startTime !== drawer.startTime || !isLiving(seen)) return false;
  if (hunt.known.has(keyOf(drawer))) return false;
  const suspect = suspectAt(hunt.table, drawer, hunt.user);
  return !hunt.marks.some((mark) => evidenceOf(mark, suspect) !== undefined);
}

const markIn = (environ: ReturnType<ProcessTable['environ']>): string | undefined =>
  typeof environ === 'string' ? undefined : environ.find((entry) => entry.startsWith(`${ENV.mark}=`));

const isMine = ({ table, user }: Hunt, pid: number): boolean => typeof user === 'number' && table.user(pid) === user;

/**
 * Kills a process that was judged, if it is still the same one and is still judged so.
 *
 * @returns whether there was a process to kill
 */
function strike(
  { isSure, table, kill, spared, killed }: Hunt,
  { pid, startTime }: ProcessStat,
  isStillOurs: () => boolean,
): boolean {
  if (spared.has(pid) || !isStillOurs()) return false;
  const now = table.stat(pid);
  if (typeof now === 'string' || now.startTime !== startTime || !isSure()) return false;
  try {
    kill(pid);
  } catch (error) {
    // EPERM: it lives and may not be killed by us. It counts, so that the sweep is not reported clean.
    return codeOf(error) !== 'ESRCH';
  }
  killed.set(keyOf(now), { pid, startTime, bootId: table.bootId(), pidNamespace: table.pidNamespace() });
  return true;
}

const keyOf = ({ pid, startTime }: { readonly pid: number; readonly startTime: string }): string =>
  `${pid}:${startTime}`;

const killNow = (pid: number): void => void process.kill(pid, 'SIGKILL');
