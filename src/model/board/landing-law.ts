/**
 * The rules of landing, since version 2 of the log: a member submits the change of its claim, and the lead lands it or
 * sends it back. Which of both it does is decided in `policy/landing`.
 */
import { refused, type Board, type Refused } from './board.ts';
import type { Ruling } from './board-effect.ts';
import type { Change } from './event.ts';
import { MOST_BOUNCES, type Bounce, type Task } from './task.ts';
import { toBounced, toLanded, toUnlanded } from './task-value.ts';

type Landing = Extract<Change, { type: 'task.landed' | 'task.bounced' }>;

export function ruleLanding(board: Board, task: Task, change: Landing, at: string): Ruling {
  const refusal = landingRefusal(board, task, change.epoch);
  if (refusal !== undefined || task.status !== 'landing') return refusal ?? {};
  if (change.type === 'task.landed') return { tasks: [toLanded(task, at, change.commit)] };
  const { cause, why, files } = change;
  const { count = 0, since = at } = task.bounced ?? {};
  // A person may send a change back as often as they like.
  const bounced: Bounce = {
    count: cause === 'review' ? count : count + 1,
    cause,
    why,
    files,
    attempt: task.attempt,
    since,
  };
  const sentBack = bounced.count < MOST_BOUNCES ? toBounced(task, at, bounced) : toUnlanded(task, at, bounced);
  return { tasks: [sentBack] };
}

function landingRefusal(board: Board, { id, status, claims }: Task, epoch: number): Refused | undefined {
  if (board.version === 1) return refused('POLICY_DENIED', 'a log of version 1 knows no landing');
  if (status !== 'landing') return refused('FINAL', `task #${id} is ${status}, it does not wait to land`);
  return claims === epoch
    ? undefined
    : refused('STALE_CLAIM', `attempt ${epoch} of task #${id} is over; attempt ${claims} waits to land`);
}
