/**
 * `teams task complete` and `fail`. Without a runner, the task ends here. With a runner, the end is only reported: the
 * runner ends the task after the turn.
 */
import { endTask, type TaskEnd, type TeamHandle } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { givenText } from '../../input/stdin.ts';
import { readFields, textField, textsField, wholeNumberField } from '../../input/plain-options.ts';
import type { Act } from '../../verb.ts';
import { callOf, onTask } from './on-task.ts';

const fields = { result: textField, reason: textField, exitCode: wholeNumberField, file: textsField };

type Outcome = 'completed' | 'failed';

export const endOf = (outcome: Outcome): Act =>
  onTask(async ({ context, handle, reference }, given) => {
    const { result, reason, exitCode, file } = readFields(fields, given);
    const word = outcome === 'completed' ? result : reason;
    const said = {
      outcome,
      files: file,
      result: word === undefined ? undefined : await givenText(context, word),
      exitCode,
    };
    const end = await endTask(handle, reference, said, callOf(context));
    return end.kind === 'ended' ? end.task : claimed(context, handle, outcome, end);
  });

/**
 * Prints what the verification of a reported end found.
 * @returns the exit code
 */
function claimed(
  context: CliContext,
  { speaker }: TeamHandle,
  outcome: Outcome,
  end: Exclude<TaskEnd, { kind: 'ended' }>,
): number {
  const { task, verdict } = end;
  if (end.kind === 'reported') {
    const later = `${speaker.name}'s runner ends the task when this turn is over`;
    context.result({ task, verdict }, `#${task.id}  reported ${outcome}; ${later}`);
    return 0;
  }
  const why = verdict.result === 'failed' ? `${verdict.command}: ${verdict.message}` : 'the verification was stopped';
  context.result({ task, verdict }, `#${task.id}  not done: ${why}`);
  showOutput(context, verdict);
  return 1;
}

function showOutput(context: CliContext, verdict: { readonly result: string; readonly output?: string }): void {
  if (!context.flags.json && verdict.output !== undefined && verdict.output !== '') context.print(verdict.output);
}
