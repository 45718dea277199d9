/**
 * A checkpoint of a pipeline: a task of the lead. A person's approval completes it, a refusal fails it; the first
 * answer counts.
 */
import { refused, type Board, type Refused } from '../../model/board/board.ts';
import type { Body } from '../../model/board/event.ts';
import { LEAD } from '../../model/text/names.ts';
import { isCheckpoint, type Task } from '../../model/board/task.ts';
import { authorOf } from './authentication.ts';
import { publishOutcome, refusalError } from './task-service.ts';
import type { TeamHandle } from './team-handle.ts';

export const checkpointPassed = (board: Board, id: string, said: string): Body | Refused =>
  ending(board, id, (epoch) => ({
    type: 'task.completed',
    task: id,
    epoch,
    result: { summary: said.slice(0, 4_096) || 'approved', files: [] },
  }));

const stopping = (board: Board, id: string, said: string): Body | Refused =>
  ending(board, id, (epoch) => ({ type: 'task.failed', task: id, epoch, why: said.slice(0, 4_096) || 'refused' }));

type End = Extract<Body, { type: 'task.completed' | 'task.failed' }>;

/** Claims and ends the task in one record. Of two answers the first counts; the second is refused as `FINAL`. */
function ending(board: Board, id: string, end: (epoch: number) => End): Body | Refused {
  const task = board.tasks.get(id);
  if (task === undefined || !isCheckpoint(task)) return refused('BAD_REFERENCE', `task #${id} is not a checkpoint`);
  if (task.status !== 'pending') return refused('FINAL', `task #${id} was answered already: it is ${task.status}`);
  return { type: 'batch', changes: [{ type: 'task.claimed', task: id, member: LEAD }, end(task.claims + 1)] };
}

/**
 * Applies a person's answer to a checkpoint. The caller checks who may answer.
 *
 * @throws ConflictError `FINAL`, `NOT_READY`
 */
export async function answerCheckpoint(
  { store, speaker, board: tasks }: TeamHandle,
  task: Task,
  { approve, text }: { readonly approve: boolean; readonly text: string },
): Promise<Task> {
  const build = approve ? checkpointPassed : stopping;
  const { outcome } = await store.board.append(authorOf(speaker), (board) => build(board, task.id, text));
  if (!outcome.ok) throw refusalError(outcome);
  await publishOutcome(store, outcome, speaker);
  return tasks.get(task.id);
}
