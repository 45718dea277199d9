/** A verb about one task: its team is opened, the task changed, and shown as it is then. */
import {
  parseToolInput,
  UsageError,
  type Task,
  type TeamHandle,
  type ToolCall,
  type ToolInputs,
} from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore } from '../../input/options.ts';
import { taskRows } from '../../output/task-rows.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act, VerbInput } from '../../verb.ts';

export interface TaskVerbContext {
  readonly context: CliContext;
  readonly handle: TeamHandle;
  /** As it was given: an id, a key, a subject. */
  readonly reference: string;
  /** The word after it; empty without one. */
  readonly word: string;
}

/** @returns the exit code, of a verb that has shown all there is to show */
type Change = (at: TaskVerbContext, given: VerbInput) => Promise<Task | number>;

/** @param words how many may follow the task */
export function onTask(change: Change, { words: more = 0 } = {}): Act {
  return async (context, given) => {
    const { handle, words } = await openTeamChoice(context, given.words, { needs: 1 + more });
    try {
      const [reference, ...rest] = words;
      if (reference === undefined) throw new UsageError('USAGE', 'Which task? `teams task list` shows them.');
      noMore(rest.slice(more));
      const done = await change({ context, handle, reference, word: more > 0 ? (rest[0] ?? '') : '' }, given);
      if (typeof done === 'number') return done;
      showTask(context, handle, done);
      return 0;
    } finally {
      await handle[Symbol.asyncDispose]();
    }
  };
}

export const showTask = (context: CliContext, handle: TeamHandle, task: Task): void =>
  context.result({ task }, taskRows([task], handle.board.list()));

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
