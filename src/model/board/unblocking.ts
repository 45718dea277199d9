/**
 * Who gets an UNBLOCKED message: the owner of a task, once, when the last of its blockers resolves
 * (docs/specification.md R5.10).
 */
import { dependants, isReady, type Board } from './board.ts';
import type { Name } from '../text/names.ts';
import { byId, isResolved, type Task } from './task.ts';

interface Unblocked {
  readonly task: Task;
  readonly owner: Name;
  /** The blocker that was resolved last. */
  readonly blocker: Task;
}

/**
 * @param board the board after an event
 * @param changed ids of the tasks that this event changed, as `advance` gives them
 * @returns owned tasks that the event made ready, each once, lowest id first; a task without an owner needs no mail
 */
export function unblockedBy(board: Board, changed: readonly string[]): Unblocked[] {
  const found = new Map<string, Unblocked>();
  for (const id of changed) {
    const blocker = board.tasks.get(id);
    if (!blocker || !isResolved(blocker)) continue;
    for (const task of dependants(board, id))
      if (task.owner !== undefined && isReady(board, task)) found.set(task.id, { task, owner: task.owner, blocker });
  }
  return [...found.values()].sort((a, b) => byId(a.task, b.task));
}
