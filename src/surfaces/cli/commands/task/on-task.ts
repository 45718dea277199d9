/** A verb about one task: its team is opened, the task changed, and shown as it is then. */
import { UsageError, type Task, type TeamHandle } from '../../../../index.ts';
import type { Frame } from '../../context.ts';
import { noMore } from '../../input/options.ts';
import { taskRows } from '../../output/task-rows.ts';
import { openChosen } from '../../input/team-choice.ts';
import type { Act, Given } from '../../verb.ts';

export interface AtTask {
  readonly frame: Frame;
  readonly handle: TeamHandle;
  /** As it was given: an id, a key, a subject. */
  readonly reference: string;
  /** The word after it; empty without one. */
  readonly word: string;
}

/** @returns the exit code, of a verb that has shown all there is to show */
type Change = (at: AtTask, given: Given) => Promise<Task | number>;

/** @param words how many may follow the task */
export function onTask(change: Change, { words: more = 0 } = {}): Act {
  return async (frame, given) => {
    const { handle, words } = await openChosen(frame, given.words, { needs: 1 + more });
    try {
      const [reference, ...rest] = words;
      if (reference === undefined) throw new UsageError('USAGE', 'Which task? `teams task list` shows them.');
      noMore(rest.slice(more));
      const done = await change({ frame, handle, reference, word: more > 0 ? (rest[0] ?? '') : '' }, given);
      if (typeof done === 'number') return done;
      showTask(frame, handle, done);
      return 0;
    } finally {
      await handle[Symbol.asyncDispose]();
    }
  };
}

export const showTask = (frame: Frame, handle: TeamHandle, task: Task): void =>
  frame.answer({ task }, taskRows([task], handle.board.list()));
