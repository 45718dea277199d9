/** The chain of dependent tasks that took longest: no number of members could have made the run shorter. */
import type { Task } from '../../model/board/task.ts';

export interface CriticalPath {
  /** Ids, from the first to the last. */
  readonly tasks: readonly string[];
  readonly ms: number;
}

type Node = Pick<Task, 'id' | 'blockedBy'>;

/** The longest chain that ends in a task. */
interface Reach {
  readonly ms: number;
  readonly before?: string;
}

const NOWHERE: Reach = { ms: -1 };

/** @param worked milliseconds by task; a missing task took none */
export function criticalPath(tasks: ReadonlyMap<string, Node>, worked: ReadonlyMap<string, number>): CriticalPath {
  const reaches = new Map<string, Reach>();
  let last: string | undefined;
  for (const id of tasks.keys()) {
    reach(id, tasks, worked, reaches);
    if (worked.has(id) && msTo(reaches, id) > msTo(reaches, last)) last = id;
  }
  return { tasks: chainTo(last, reaches, worked), ms: Math.max(0, msTo(reaches, last)) };
}

const msTo = (reaches: ReadonlyMap<string, Reach>, id: string | undefined): number =>
  (id === undefined ? undefined : reaches.get(id))?.ms ?? -1;

/** Blockers first, with an explicit stack: a chain may be as long as the board. */
function reach(
  id: string,
  tasks: ReadonlyMap<string, Node>,
  worked: ReadonlyMap<string, number>,
  reaches: Map<string, Reach>,
): void {
  const stack = [id];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const blockers = tasks.get(top)?.blockedBy ?? [];
    const unknown = reaches.has(top) ? [] : blockers.filter((one) => !reaches.has(one));
    // The board has no cycles. If a log of another version has one, each task is still visited only once.
    reaches.set(top, reaches.get(top) ?? NOWHERE);
    if (unknown.length > 0) stack.push(...unknown);
    else {
      stack.pop();
      if (reaches.get(top) === NOWHERE) reaches.set(top, best(top, blockers, worked, reaches));
    }
  }
}

function best(
  id: string,
  blockers: readonly string[],
  worked: ReadonlyMap<string, number>,
  reaches: ReadonlyMap<string, Reach>,
): Reach {
  const own = worked.get(id) ?? 0;
  const [before] = blockers.filter((one) => reaches.has(one)).sort((a, b) => msTo(reaches, b) - msTo(reaches, a));
  return before === undefined ? { ms: own } : { ms: own + Math.max(0, msTo(reaches, before)), before };
}

function chainTo(
  last: string | undefined,
  reaches: ReadonlyMap<string, Reach>,
  worked: ReadonlyMap<string, number>,
): string[] {
  const chain: string[] = [];
  const seen = new Set<string>();
  for (let id = last; id !== undefined && !seen.has(id); id = reaches.get(id)?.before) {
    seen.add(id);
    // A task without work (skipped) is not part of the path.
    if (worked.has(id)) chain.unshift(id);
  }
  return chain;
}
