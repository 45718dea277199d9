/**
 * What a member claims where a claim takes a while to be known, as on a store of several machines: its own tasks first;
 * then, among the first ready tasks that it may claim, one whose number is its own: they go round among all members, by
 * name. So it does not depend on who is idle just now, which each member sees a little differently. Who finds none takes
 * one that no idle member has by that rule.
 */
import type { Board } from '../../model/board/board.ts';
import { nextClaims } from '../../model/board/listed-tasks.ts';
import type { Task } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';

/** The ready tasks that are looked at, for each member: a task waits for at most as many others that came later. */
const WINDOW = 2;

export function spreadClaim(board: Board, name: Name, except: ReadonlySet<string> = new Set()): Task | undefined {
  const all = joinedMembers(board, name);
  const at = all.indexOf(name);
  const isEnough = (id: number): boolean => (id - 1) % all.length === at;
  const ready = nextClaims(board, name, { except, most: WINDOW * all.length, isEnough });
  if (ready[0]?.owner === name) return ready[0];
  const own = ready.find(({ id }) => isEnough(Number(id)));
  if (own !== undefined) return own;
  const idle = all.filter((one) => one === name || !board.busy.has(one));
  const choices = new Map<Name, Task>();
  const free: Task[] = [];
  for (const task of ready) {
    const one = all[(Number(task.id) - 1) % all.length];
    if (one === undefined || choices.has(one) || board.busy.has(one)) free.push(task);
    else choices.set(one, task);
  }
  let next = 0;
  for (const one of idle) {
    const task = choices.has(one) ? undefined : free[next];
    if (task === undefined) continue;
    choices.set(one, task);
    next += 1;
  }
  // With fewer tasks than idle members, the last of these share them, from the first task on.
  return choices.get(name) ?? ready[idle.indexOf(name) % Math.max(ready.length, 1)];
}

/** By name: each process sees the same order. */
const joinedMembers = ({ members }: Board, name: Name): Name[] =>
  [...members.values()]
    .flatMap(({ name: one, state }) => (state === 'joined' || one === name ? [one] : []))
    .toSorted((a, b) => (a < b ? -1 : 1));
