/** Which failures count towards a member's quarantine (docs/specification.md R5.8). */
import type { Board } from './board.ts';
import type { Task } from './task.ts';

/** A command's exit code is never the fault of the member that ran it. */
const isCommand = ({ work }: Task): boolean => work.run !== undefined;

/**
 * Whether the end of a claim was a member's failure at the task: the task failed by it for good, and nobody retried it
 * since. Attempts that `retries` allowed do not count.
 */
export function isMembersFailure(board: Board, { task: id, epoch }: { task: string; epoch: number }): boolean {
  const task = board.tasks.get(id);
  return task?.status === 'failed' && task.by?.epoch === epoch && !isCommand(task);
}
