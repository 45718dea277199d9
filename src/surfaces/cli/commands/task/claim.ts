/** `teams task claim`: claims the named task through TaskUpdate, or the next task that the speaker may claim. */
import { ConflictError, updateTask, type Task, type TeamHandle } from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { flagField, readFields } from '../../input/plain-options.ts';
import type { CliContext } from '../../context.ts';
import { openTeamChoice } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';
import { callOf, toolInput, showTask } from './on-task.ts';

const fields = { next: flagField };

export const claim: Act = async (context, given) => {
  const { next } = readFields(fields, given);
  const { handle, words } = await openTeamChoice(context, given.words, { needs: next ? 0 : 1 });
  try {
    const [reference, ...rest] = words;
    noMore(next ? words : rest);
    const task =
      next || reference === undefined ? await handle.board.claimNext() : await claimNamed(context, handle, reference);
    if (!task)
      throw new ConflictError(
        'NOT_READY',
        `No task is ready for ${handle.speaker.name}; \`teams task list\` shows what waits for what.`,
      );
    showTask(context, handle, task);
    return 0;
  } finally {
    await handle[Symbol.asyncDispose]();
  }
};

async function claimNamed(context: CliContext, handle: TeamHandle, taskId: string): Promise<Task> {
  const input = toolInput('TaskUpdate', { taskId, status: 'in_progress' });
  return (await updateTask(handle, input, callOf(context))).task;
}
