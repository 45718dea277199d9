/**
 * What a program started and put into a session of its own, where the signal to its group does not come: agent CLIs do
 * so with the shells of their tools. Found by descent, which ends with the program, and by a variable that all it starts
 * inherits; so they are looked for before the program is killed, and after.
 */
import { carries, procOf, procs, type Proc } from './proc.ts';

/** The processes below `root`, in its group or out of it; not `root` itself. */
export function descendantsOf(root: number): Proc[] {
  const all = procs();
  const found = new Map<number, Proc | undefined>([[root, all.find(({ pid }) => pid === root)]]);
  for (let before = 0; before < found.size;) {
    before = found.size;
    for (const one of all) {
      const parent = found.get(one.parent);
      // A child is never older than its parent; where it seems so, the parent's number has come round.
      const isChild = parent !== undefined && Number(one.startTime) >= Number(parent.startTime);
      if (isChild && !found.has(one.pid)) found.set(one.pid, one);
    }
  }
  found.delete(root);
  return [...found.values()].flatMap((one) => one ?? []);
}

/** The processes that were started with a variable, this one left out. */
export const carriersOf = (variable: string): Proc[] =>
  procs().filter((one) => one.pid !== process.pid && carries(one, variable));

/** Ends processes that were seen before, as far as they still are the same. @returns how many there were */
export function strike(seen: readonly Proc[]): number {
  const alive = seen.filter(({ pid, startTime }) => procOf(pid)?.startTime === startTime);
  for (const { pid } of alive) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended between the look and the signal, or is another user's: the sweep will say so.
    }
  }
  return alive.length;
}
