/** `teams task list`: the board. */
import * as z from 'zod';
import { TASK_STATUSES, type Task } from '../../../../app.ts';
import { noMore, readOptions, text } from '../../input/options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import { taskRows } from '../../output/task-rows.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ status: z.enum(TASK_STATUSES).optional(), owner: text });

export const act: Act = (context, given) => {
  const { status, owner } = readOptions(schema, given);
  return withTeamReader(context, given.words, 0, (store, words) => {
    noMore(words);
    const all = [...store.board.fold().tasks.values()];
    const isWanted = (task: Task): boolean =>
      (status === undefined || task.status === status) && (owner === undefined || ownerOf(task) === owner);
    const tasks = all.filter(isWanted);
    context.result({ tasks }, taskRows(tasks, all));
    if (tasks.length === 0) context.info(all.length === 0 ? 'The board is empty.' : 'No task is like that.');
    return Promise.resolve(0);
  });
};

const ownerOf = (task: Task): string | undefined => (task.status === 'in_progress' ? task.claim.member : task.owner);
