/** `teams task complete` and `fail`: the end of a task from one without a runner, and a claim from one who has one. */
import * as z from 'zod';
import { reportTask, runnersTask, UsageError, type Task } from '../../../../index.ts';
import type { Frame } from '../../frame.ts';
import { givenText } from '../../given-text.ts';
import { readOptions, text, texts, wholeNumber } from '../../given.ts';
import type { Act } from '../../verb.ts';
import { onTask, type AtTask } from './on-task.ts';

const schema = z.object({ result: text, reason: text, exitCode: wholeNumber, file: texts });

type Outcome = 'completed' | 'failed';

export const endTask = (outcome: Outcome): Act =>
  onTask(async (at, given) => {
    const { result, reason, exitCode, file } = readOptions(schema, given);
    const word = outcome === 'completed' ? result : reason;
    const said = word === undefined ? undefined : await givenText(at.frame, word);
    const own = runnersTask(at.handle, at.reference);
    if (own) return claimTheEnd(at, own, outcome, said ?? '');
    if (said === undefined) throw unsaid(outcome, at.reference);
    const end = { result: said, files: file, ...(exitCode === undefined ? {} : { exitCode }) };
    return outcome === 'completed'
      ? at.handle.board.complete(at.reference, end)
      : at.handle.board.fail(at.reference, end);
  });

const unsaid = (outcome: Outcome, task: string): UsageError =>
  outcome === 'completed'
    ? new UsageError('USAGE', `What came of task ${task}? Add --result TEXT, or --result - for stdin.`)
    : new UsageError('USAGE', `Why did task ${task} fail? Add --reason TEXT, or --reason - for stdin.`);

/** The runner writes the end when the turn is over; the verdict is what the agent learns now. */
async function claimTheEnd(
  { frame, handle }: AtTask,
  task: Task & { status: 'in_progress' },
  outcome: Outcome,
  said: string,
): Promise<number> {
  const { verdict } = await reportTask(handle, task, { outcome, text: said }, frame.outside.gone);
  if (verdict.result === 'passed') {
    frame.answer(
      { task, verdict },
      `#${task.id}  reported ${outcome}; ${handle.speaker.name}'s runner ends the task when this turn is over`,
    );
    return 0;
  }
  const why = verdict.result === 'failed' ? `${verdict.command}: ${verdict.message}` : 'the verification was stopped';
  frame.answer({ task, verdict }, `#${task.id}  not done: ${why}`);
  showOutput(frame, verdict);
  return 1;
}

function showOutput(frame: Frame, verdict: { readonly result: string; readonly output?: string }): void {
  if (!frame.flags.json && verdict.output !== undefined && verdict.output !== '') frame.print(verdict.output);
}
