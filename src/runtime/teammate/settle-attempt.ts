/** After an attempt: publishes the consequences of its end and reports it to the lead. */
import { LEAD } from '../../model/text/names.ts';
import { taskCompleted, taskFailed } from '../../policy/mail-wording.ts';
import type { TaskAttempt } from './runner.ts';
import type { MemberSession } from '../team/member-session.ts';
import { publishOutcome } from '../team/task-service.ts';

/** Characters of a result that go into the report to the lead; `results/` has the whole text. */
const SUMMARY = 2_000;

/**
 * Publishes the consequences of an end that the board accepted.
 *
 * @returns whether the board accepted an end
 */
export async function settleAttempt(
  { store, speaker }: MemberSession,
  { verdict, written }: TaskAttempt,
): Promise<boolean> {
  if (written?.outcome.ok !== true || verdict.do === 'wait') return false;
  await publishOutcome(store, written.outcome, speaker);
  return true;
}

/** Reports to the lead; the mail id is derived from the event, so that a repetition is recognised. */
export async function reportAttempt(session: MemberSession, { task, verdict, written }: TaskAttempt): Promise<void> {
  if (written === undefined || (verdict.do !== 'complete' && verdict.do !== 'fail')) return;
  const kind = verdict.do === 'complete' ? 'task_completed' : 'task_failed';
  const text =
    verdict.do === 'complete'
      ? taskCompleted(task.id, verdict.text.trim().slice(-SUMMARY))
      : taskFailed(task.id, verdict.why);
  await session.tellLead(text, { kind, task_id: task.id, id: `${kind}:${written.event.id}:${LEAD}` });
}
