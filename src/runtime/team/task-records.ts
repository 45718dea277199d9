/** Builds the body of one record for a command on the board, or says why the command is refused. */
import { refused, type Refused } from '../../model/board/board.ts';
import type { Body, Change } from '../../model/board/event.ts';
import type { Task } from '../../model/board/task.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** A change that ends a claim, for the holder of the claim. */
export const withClaim = (task: Task, build: (epoch: number) => Change): Change | Refused =>
  task.status === 'in_progress'
    ? build(task.claim.epoch)
    : refused(
        task.status === 'pending' ? 'STALE_CLAIM' : 'FINAL',
        `task #${task.id} is ${task.status}; no member works on it`,
      );

/** Ends a claim without ending the task. */
export const releaseBody = (task: Task, why = 'given back'): Change | Refused =>
  withClaim(task, (epoch) => ({ type: 'task.released', task: task.id, epoch, reason: 'released', why }));

/** One record for all changes; if one is refused, all are. */
export function batchOf(changes: readonly (Change | Refused)[]): Body | Refused {
  const refusal = changes.find(isRefused);
  if (refusal !== undefined) return refusal;
  const all = changes.flatMap((one) => (isRefused(one) ? [] : [one]));
  const [only, ...others] = all;
  return only !== undefined && others.length === 0 ? only : { type: 'batch', changes: all };
}

const isRefused = (one: Change | Refused): one is Refused => 'ok' in one;

/** A copy of a task is as trusted as its original: the lead vouches for copies only where it trusts the whole board. */
export const vouchesForCopies = ({ commands }: Pick<TeamStore, 'commands'>): boolean =>
  commands.untrusted('all').length === 0;
