/** The user's hook on a finished task: it may refuse, and its words go back to whoever did the task. */
import type { Message } from '../model/message.ts';
import { LEAD } from '../model/names.ts';
import type { Task } from '../model/task.ts';
import type { TurnVerdict } from '../policy/outcome.ts';
import * as wording from '../policy/wording.ts';
import { markedAsSelf, runHook } from './hooks.ts';
import type { RunnerEnvironment } from './runner.ts';

/** What was refused so often is a failed attempt. */
export const MOST_REFUSALS = 3;

const LONGEST_RESULT = 4_096;

type Completed = TurnVerdict & { do: 'complete' };

/** @returns what the hook says against it; undefined when it may end so */
export async function askHook(
  { id, subject, description, claim, attempts, work, metadata }: Task & { status: 'in_progress' },
  text: string,
  { hook, store }: Pick<RunnerEnvironment, 'hook' | 'store'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (hook === undefined) return undefined;
  const event = {
    ...{ member: claim.member, result: text.slice(-LONGEST_RESULT) },
    task: { id, subject, description, attempts, metadata, files: work.files },
  };
  return runHook({ name: 'onTaskCompleted', command: hook, event }, { store, signal, marked: markedAsSelf });
}

/** @returns the mail that tells its agent of the refusal; undefined when it may end so */
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
    ...{ type: 'message', kind: 'hook', sender: LEAD, recipient: claim.member, timestamp: now / 1_000 },
    ...{ id: `hook:${id}.${claim.epoch}:${now}`, task_id: id, content: wording.refusedCompletion(id, feedback) },
  };
}

export const refusedForGood = ({ text }: TurnVerdict & { text?: string }, { content }: Message): TurnVerdict => ({
  do: 'fail',
  why: `refused ${MOST_REFUSALS} times: ${content}`,
  text: text ?? '',
});
