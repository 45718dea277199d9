/**
 * The lead's decisions about work (docs/specification.md R10.13): a plan is approved or refused; a change that waits for a
 * person lands or goes back; finished work whose discussion ended without consensus is accepted or revised. The board's record decides; the first decision counts.
 */
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import type { Body } from '../../model/board/event.ts';
import { holdOn, reviewOf, type Request } from '../../model/board/request.ts';
import { refused, type Board, type Refused } from '../../model/board/board.ts';
import type { Task } from '../../model/board/task.ts';
import { revise } from '../../policy/pipeline/revision.ts';
import { answerPlan, requireDecider, type PlanAnswer } from '../team/plan-approval.ts';
import { authorOf } from '../team/authentication.ts';
import { publishOutcome, refusalError, wakeReady } from '../team/task-service.ts';
import { vouchesForCopies } from '../team/task-records.ts';
import type { TeamHandle } from '../team/team-handle.ts';

/**
 * Approves or refuses the request with which a task waits for the lead or a person.
 *
 * @throws ConflictError `REFUSED` when there is no request, `FINAL` when it is answered already or its change has landed;
 * UsageError `POLICY_DENIED` for a speaker that is not the lead, `USAGE` for a change that goes back without a note
 */
export async function judgeTask(handle: TeamHandle, reference: string, answer: PlanAnswer): Promise<Task> {
  const task = handle.board.get(reference);
  const { board } = handle.store.board;
  const review = reviewOf(board, task);
  if (review !== undefined) return judgeChange(handle, task, review, answer);
  const request = lastConsensus(board, task.id);
  if (request === undefined) return answerPlan(handle, reference, answer);
  requireDecider(handle.speaker.name);
  if (!answer.approve)
    throw new UsageError(
      'USAGE',
      `Task #${task.id} is done: \`teams task revise ${handle.name} ${task.id} TEXT\` has it done again.`,
    );
  await decide(handle, task.id, () => ({ ...answered(request), approve: true, text: answer.text }));
  return handle.board.get(task.id);
}

/** Lets a change land, or sends it back. The lead's queue does both. */
async function judgeChange(
  handle: TeamHandle,
  { id, status }: Task,
  review: Request,
  { approve, text }: PlanAnswer,
): Promise<Task> {
  requireDecider(handle.speaker.name);
  if (status === 'completed')
    throw new ConflictError('FINAL', `The change of task #${id} has landed; a new task can change it again.`);
  if (!approve && text.trim() === '')
    throw new UsageError(
      'USAGE',
      `What should be different in task #${id}? \`teams task refuse ${handle.name} ${id} TEXT\`.`,
    );
  await decide(handle, id, () => ({ ...answered(review), approve, text }));
  return handle.board.get(id);
}

/**
 * Has finished work done again, with all that was made from it. Tasks that wait for it wait for the new version.
 *
 * @param feedback what must be different
 * @returns the task that does it again
 * @throws ConflictError `NOT_READY`, `FINAL` after the last revision; UsageError `BAD_REFERENCE`, `POLICY_DENIED`
 */
export async function reviseTask(handle: TeamHandle, reference: string, feedback: string): Promise<Task> {
  const { id } = handle.board.get(reference);
  requireDecider(handle.speaker.name);
  let created = '';
  await decide(handle, id, (board) => {
    const task = board.tasks.get(id);
    const changes = task ? revise(board, task, feedback) : refused('UNKNOWN_TASK', `there is no task #${id}`);
    if ('ok' in changes) return changes;
    created = String(board.lastTaskId + 1);
    const hold = holdOn(board, id);
    const answer = hold ? [{ ...answered(hold), approve: false, text: feedback } as const] : [];
    return { type: 'batch', changes: [...answer, ...changes] };
  });
  return handle.board.get(created);
}

async function decide(
  { store, speaker }: TeamHandle,
  task: string,
  build: (board: Board) => Body | Refused,
): Promise<void> {
  const { outcome } = await store.board.append(authorOf(speaker), build, { vouches: vouchesForCopies(store) });
  if (!outcome.ok) throw refusalError(outcome);
  await publishOutcome(store, outcome, speaker);
  wakeReady(store, [task], speaker);
}

const answered = ({ id }: Request) => ({ type: 'request.answered', request: id }) as const;

/** The open request, else the last one; its answer is then refused with the reason. */
function lastConsensus(board: Board, task: string): Request | undefined {
  return (
    holdOn(board, task) ?? [...board.requests.values()].findLast((one) => one.kind === 'consensus' && one.task === task)
  );
}
