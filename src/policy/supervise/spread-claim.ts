/**
 * What a member claims where a claim takes a while to be known, as on a store of several machines: its own tasks first;
 * then, of the first k ready tasks it may claim, the one at its place among the k idle members, by name.
 *
 * Members that see the same board so choose different tasks. A claim takes its member from the idle and its task from the
 * ready, so the others' choices stay as they are.
 */
import type { Board } from '../../model/board/board.ts';
import { nextClaim } from '../../model/board/listed-tasks.ts';
import type { Task } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';

export function spreadClaim(board: Board, name: Name, except: ReadonlySet<string> = new Set()): Task | undefined {
  const idle = idleMembers(board);
  const place = Math.max(idle.indexOf(name), 0);
  const passed = new Set(except);
  const ready: Task[] = [];
  while (ready.length <= place) {
    const task = nextClaim(board, name, passed);
    if (task === undefined) break;
    if (ready.length === 0 && task.owner === name) return task;
    ready.push(task);
    passed.add(task.id);
  }
  // With fewer tasks than idle members, the last of these share them, from the first task on.
  return ready[place % Math.max(ready.length, 1)];
}

/** By name: each process sees the same order. */
const idleMembers = ({ members, busy }: Board): Name[] =>
  [...members.values()]
    .flatMap(({ name, state }) => (state === 'joined' && !busy.has(name) ? [name] : []))
    .toSorted((a, b) => (a < b ? -1 : 1));
