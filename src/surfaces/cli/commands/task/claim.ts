/** `teams task claim`: the named task, by TaskUpdate, or the next that one may have. */
import * as z from 'zod';
import { ConflictError, updateTask, type Task, type TeamHandle } from '../../../../index.ts';
import { noMore, readOptions, flag } from '../../input/options.ts';
import type { Frame } from '../../context.ts';
import { openChosen } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';
import { showTask } from './on-task.ts';
import { callOf, toolInput } from './tool-input.ts';

const schema = z.object({ next: flag });

export const act: Act = async (frame, given) => {
  const { next } = readOptions(schema, given);
  const { handle, words } = await openChosen(frame, given.words, { needs: next ? 0 : 1 });
  try {
    const [reference, ...rest] = words;
    noMore(next ? words : rest);
    const task =
      next || reference === undefined ? await handle.board.claimNext() : await claim(frame, handle, reference);
    if (!task)
      throw new ConflictError(
        'NOT_READY',
        `No task is ready for ${handle.speaker.name}; \`teams task list\` shows what waits for what.`,
      );
    showTask(frame, handle, task);
    return 0;
  } finally {
    await handle[Symbol.asyncDispose]();
  }
};

async function claim(frame: Frame, handle: TeamHandle, taskId: string): Promise<Task> {
  const input = toolInput('TaskUpdate', { taskId, status: 'in_progress' });
  return (await updateTask(handle, input, callOf(frame))).task;
}
