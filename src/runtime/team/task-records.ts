/** What a verb of the board asks for, as the body of one record, or why it cannot be asked for. */
import { refused, type Refused } from '../../model/board/board.ts';
import type { Body, Change } from '../../model/board/event.ts';
import type { Task } from '../../model/board/task.ts';

/** The end of a claim, by whoever holds it. */
export const withClaim = (task: Task, build: (epoch: number) => Change): Change | Refused =>
  task.status === 'in_progress'
    ? build(task.claim.epoch)
    : refused(
        task.status === 'pending' ? 'STALE_CLAIM' : 'FINAL',
        `task #${task.id} is ${task.status}; nobody works on it`,
      );

/** The end of a claim without an end of the task. */
export const releaseBody = (task: Task, why = 'given back'): Change | Refused =>
  withClaim(task, (epoch) => ({ type: 'task.released', task: task.id, epoch, reason: 'released', why }));

/** One record for all of them, refused when one is. */
export function batchOf(changes: readonly (Change | Refused)[]): Body | Refused {
  const refusal = changes.find(isRefused);
  if (refusal !== undefined) return refusal;
  const all = changes.flatMap((one) => (isRefused(one) ? [] : [one]));
  const [only, ...others] = all;
  return only !== undefined && others.length === 0 ? only : { type: 'batch', changes: all };
}

const isRefused = (one: Change | Refused): one is Refused => 'ok' in one;
