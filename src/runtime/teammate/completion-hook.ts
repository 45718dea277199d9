/** Runs the user's hook on a finished task. The hook may refuse; its text then goes back to the agent as mail. */
import type { Message } from '../../model/team/message.ts';
import { LEAD } from '../../model/text/names.ts';
import type { Task } from '../../model/board/task.ts';
import type { TurnVerdict } from '../../policy/outcome.ts';
import * as wording from '../../policy/mail-wording.ts';
import { askHook } from '../team/hooks.ts';
import type { RunnerEnvironment } from './runner-environment.ts';

/** After this many refusals the attempt fails. */
export const MOST_REFUSALS = 3;

type Completed = TurnVerdict & { do: 'complete' };

/** @returns the mail that tells the agent about the refusal; undefined if the hook accepts the completion */
export async function refusedByHook(
  task: Task & { status: 'in_progress' },
  { text }: Completed,
  environment: Pick<RunnerEnvironment, 'hook' | 'store'>,
  signal: AbortSignal,
): Promise<Message | undefined> {
  const feedback = await askHook(task, text, environment, signal);
  if (feedback === undefined) return undefined;
  const { id, claim } = task;
  const now = environment.store.clock.now();
  return {
    type: 'message',
    kind: 'hook',
    sender: LEAD,
    recipient: claim.member,
    timestamp: now / 1_000,
    id: `hook:${id}.${claim.epoch}:${now}`,
    task_id: id,
    content: wording.refusedCompletion(id, feedback),
  };
}

export const refusedForGood = ({ text }: TurnVerdict & { text?: string }, { content }: Message): TurnVerdict => ({
  do: 'fail',
  why: `refused ${MOST_REFUSALS} times: ${content}`,
  text: text ?? '',
});
