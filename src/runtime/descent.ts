/** Who descends from whom. A child is never older than its parent; where it seems so, the parent's pid has come round. */
import { identityOf, isLiving, processes } from '../store/process-table.ts';
import type { ProcessIdentity, ProcessStat, ProcessTable } from '../store/process-table.ts';

/** Every process of `alive` below one of `roots`, the roots left out. */
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

/**
 * The living processes below `roots`. Where a mark rests on the environment alone, the lead takes this each second and
 * tells it to its reaper: what scrubs its environment and then loses its parent is known by nothing else.
 */
export function livingBelow(roots: readonly ProcessIdentity[], table: ProcessTable = processes): ProcessIdentity[] {
  const alive = table.list().flatMap((pid) => {
    const seen = table.stat(pid);
    return typeof seen !== 'string' && isLiving(seen) ? [seen] : [];
  });
  const isRoot = ({ pid, startTime }: ProcessStat): boolean =>
    roots.some((root) => root.pid === pid && root.startTime === startTime && root.bootId === table.bootId());
  const below = descendants(alive, new Set(alive.filter(isRoot).map(({ pid }) => pid)));
  return below.flatMap(({ pid, startTime }) => {
    const identity = identityOf(pid, table);
    return identity?.startTime === startTime ? [identity] : [];
  });
}

/** The process that looks and all above it. */
export function ancestry(table: ProcessTable): Set<number> {
  const line = new Set<number>();
  for (let pid = table.self; pid > 0 && !line.has(pid);) {
    line.add(pid);
    const seen = table.stat(pid);
    pid = typeof seen === 'string' ? 0 : seen.parent;
  }
  return line;
}
