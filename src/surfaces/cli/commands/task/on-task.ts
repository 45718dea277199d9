/** A verb about one task: opens its team, changes the task, shows the changed task. */
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

interface TaskVerbContext {
  readonly context: CliContext;
  readonly handle: TeamHandle;
  /** As given on the command line: an id, a key or a subject. */
  readonly reference: string;
  /** The word after the task; empty if there is none. */
  readonly word: string;
}

/** @returns the changed task, or the exit code of a verb that has printed its own output */
type Change = (at: TaskVerbContext, given: VerbInput) => Promise<Task | number>;

/**
 * @param change what the verb does
 * @param words how many words may follow the task
 */
export function onTask(change: Change, { words: more = 0 } = {}): Act {
  return async (context, given) => {
    const { handle, words } = await openTeamChoice(context, given.words, { needs: 1 + more });
    try {
      const [reference, ...rest] = words;
      if (reference === undefined) throw new UsageError('USAGE', 'Which task? `teams task list` shows all tasks.');
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
  context.result({ task }, taskRows([task], handle.store.board.board.tasks));

/** @throws UsageError `USAGE` with the same problem texts that a model would get */
export function toolInput<T extends 'TaskCreate' | 'TaskUpdate'>(
  tool: T,
  given: Readonly<Record<string, unknown>>,
): ToolInputs[T] {
  const parsed = parseToolInput(tool, given);
  if (parsed.ok) return parsed.value;
  throw new UsageError('USAGE', parsed.problems.map(({ text }) => text).join(' '));
}

/** The tool call that a verb stands for. */
export const callOf = (context: CliContext): ToolCall => ({
  signal: context.io.gone,
  isolate: context.io.isolate,
  progress: (text) => context.debug(text),
});
