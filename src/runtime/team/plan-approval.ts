/** The lead's answer to a member that must not begin before its plan is approved (docs/specification.md R2.14). */
import type { Board } from '../../model/board/board.ts';
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import { sideOf } from '../../model/team/message.ts';
import type { Name } from '../../model/text/names.ts';
import type { Request } from '../../model/board/request.ts';
import { isCheckpoint, type Task } from '../../model/board/task.ts';
import { planAnswer } from '../../policy/mail-wording.ts';
import { answerCheckpoint } from './checkpoint-answer.ts';
import type { TeamHandle } from './team-handle.ts';

export interface PlanAnswer {
  readonly approve: boolean;
  /** What the member should know or change. */
  readonly text: string;
}

/**
 * Answers the plan of a task whose member waits for approval.
 *
 * @throws ConflictError `REFUSED` if no plan was sent, `FINAL` if it is answered or its claim has ended; UsageError
 * `POLICY_DENIED` for a speaker that is not the lead
 */
export async function answerPlan(handle: TeamHandle, reference: string, answer: PlanAnswer): Promise<Task> {
  const task = handle.board.get(reference);
  requireDecider(handle.speaker.name);
  if (isCheckpoint(task)) return answerCheckpoint(handle, task, answer);
  const request = lastPlan(handle.store.board.board, task.id);
  if (request === undefined)
    throw new ConflictError(
      'REFUSED',
      `No member has asked for approval of a plan for task #${task.id}; \`teams inbox ${handle.name} lead\` lists the requests.`,
    );
  await handle.send(request.from, planAnswer(task.id, answer), {
    type: 'plan_approval_response',
    request_id: request.id,
    data: { approve: answer.approve },
  });
  return task;
}

/** The open request, else the last one; its answer is then refused with the reason. */
function lastPlan({ requests }: Board, task: string): Request | undefined {
  const plans = [...requests.values()].filter((one) => one.kind === 'plan' && one.task === task);
  return plans.findLast(({ state }) => state === 'open') ?? plans.at(-1);
}

/** @throws UsageError `POLICY_DENIED` */
export function requireDecider(name: Name): void {
  if (sideOf(name) === 'teammate')
    throw new UsageError('POLICY_DENIED', `${name} cannot answer for the lead (rule: only the lead answers).`);
}
