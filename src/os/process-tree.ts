/**
 * Finds descendants of processes, and processes with a variable in their environment. A child is never older than its
 * parent; if it seems so, the parent's pid was reused.
 *
 * All functions read the {@link ProcessTable}. A table that cannot see its own pid namespace lists nothing, so nothing
 * is found and nothing is signalled.
 */
import { codeOf } from '../model/text/errors.ts';
import { isLiving, processes } from './process-table.ts';
import type { ProcessStat, ProcessTable } from './process-reading.ts';

/** Every process that has not ended; zombies are left out. */
export const livingProcesses = (table: ProcessTable = processes): ProcessStat[] =>
  table.list().flatMap((pid) => {
    const seen = table.stat(pid);
    return typeof seen !== 'string' && isLiving(seen) ? [seen] : [];
  });

/** Every process of `alive` below one of `roots`, without the roots. */
export function descendants(alive: readonly ProcessStat[], roots: ReadonlySet<number>): ProcessStat[] {
  const byPid = new Map(alive.map((seen) => [seen.pid, seen]));
  const found = new Set(roots);
  const below: ProcessStat[] = [];
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const seen of alive) {
      const parent = byPid.get(seen.parent);
      if (found.has(seen.pid) || parent === undefined || !found.has(parent.pid)) continue;
      if (Number(seen.startTime) < Number(parent.startTime)) continue;
      found.add(seen.pid);
      below.push(seen);
    }
  }
  return below;
}

/** The living processes below `root`, in any process group, without `root` itself. */
export const descendantsOf = (root: number, table: ProcessTable = processes): ProcessStat[] =>
  descendants(livingProcesses(table), new Set([root]));

/**
 * The living processes that were started with a variable, except this one. Older processes than this one are not read:
 * only processes that it started are wanted.
 *
 * @param variable `NAME=value`
 */
export function carriersOf(variable: string, table: ProcessTable = processes): ProcessStat[] {
  const self = table.stat(table.self);
  if (typeof self === 'string') return [];
  return livingProcesses(table).filter(({ pid, startTime }) => {
    if (pid === table.self || Number(startTime) < Number(self.startTime)) return false;
    const environ = table.environ(pid);
    return typeof environ !== 'string' && environ.includes(variable);
  });
}

/** This process and all its ancestors. */
export function ancestry(table: ProcessTable): Set<number> {
  const line = new Set<number>();
  for (let pid = table.self; pid > 0 && !line.has(pid);) {
    line.add(pid);
    const seen = table.stat(pid);
    pid = typeof seen === 'string' ? 0 : seen.parent;
  }
  return line;
}

const killNow = (pid: number): void => void process.kill(pid, 'SIGKILL');

/**
 * Sends SIGKILL to processes that were seen before, each only if pid and start time still identify the same process.
 *
 * @returns how many were still the same
 */
export function killSeen(
  seen: readonly ProcessStat[],
  table: ProcessTable = processes,
  kill: (pid: number) => void = killNow,
): number {
  const isSame = ({ pid, startTime }: ProcessStat): boolean => {
    const now = table.stat(pid);
    return typeof now !== 'string' && isLiving(now) && now.startTime === startTime;
  };
  let killed = 0;
  for (const one of seen) {
    if (!isSame(one)) continue;
    killed += 1;
    try {
      kill(one.pid);
    } catch (error) {
      // ESRCH: it ended between the read and the signal. EPERM: another user's process; the sweep reports it.
      if (codeOf(error) !== 'ESRCH' && codeOf(error) !== 'EPERM') throw error;
    }
  }
  return killed;
}
