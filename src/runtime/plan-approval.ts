/** The lead's answer to a member that may not begin before its plan is approved (SPEC §4). */
import { ConflictError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { LEAD } from '../model/names.ts';
import type { Task } from '../model/task.ts';
import { planAnswer } from '../policy/wording.ts';
import type { TeamHandle } from './team.ts';

export interface Answer {
  readonly approve: boolean;
  /** What the member should know or change. */
  readonly text: string;
}

/**
 * Answers the last request for the approval of a task's plan.
 *
 * @throws ConflictError `REFUSED` when nobody asked; UsageError `POLICY_DENIED` from anybody but the lead
 */
export async function answerPlan(handle: TeamHandle, reference: string, answer: Answer): Promise<Task> {
  const task = handle.board.get(reference);
  const request = lastRequest(handle, task.id);
  if (request?.request_id === undefined)
    throw new ConflictError(
      'REFUSED',
      `Nobody has asked for the approval of a plan for task #${task.id}; \`teams inbox lead\` shows what was asked.`,
    );
  await handle.send(request.sender, planAnswer(task.id, answer), {
    type: 'plan_approval_response',
    request_id: request.request_id,
    task_id: task.id,
    reply_to: request.id,
    data: { approve: answer.approve },
  });
  return task;
}

/** Requests that the lead has read already count, and one that waits is newer than those. */
function lastRequest(handle: TeamHandle, task: string): Message | undefined {
  let last: Message | undefined;
  for (const history of [true, false])
    for (const message of handle.inbox(LEAD, { history }))
      if (message.kind === 'plan_approval_request' && message.task_id === task) last = message;
  return last;
}
