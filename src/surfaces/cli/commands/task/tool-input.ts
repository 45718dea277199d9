/** What a verb of the board hands to the tool of the same meaning: parsed by the tool's own definition. */
import { parseToolInput, UsageError, type ToolCall, type ToolInputs } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';

/** @throws UsageError `USAGE` in the words that a model would get */
export function toolInput<T extends 'TaskCreate' | 'TaskUpdate'>(
  tool: T,
  given: Readonly<Record<string, unknown>>,
): ToolInputs[T] {
  const parsed = parseToolInput(tool, given);
  if (parsed.ok) return parsed.value;
  throw new UsageError('USAGE', parsed.problems.map(({ text }) => text).join(' '));
}

/** The call of a tool that a verb is. */
export const callOf = (context: CliContext): ToolCall => ({
  signal: context.io.gone,
  progress: (text) => context.debug(text),
});
