/** `teams task list`: the board. `teams task get`: one task in full, with its history and its last result. */
import {
  knownMember,
  resolveTask,
  resultOf,
  TASK_STATUSES,
  taskHistory,
  UsageError,
  type Task,
} from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { readFields, textField, wordField } from '../../input/plain-options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import { painter } from '../../output/painter.ts';
import { taskRows, wholeTask } from '../../output/task-rows.ts';
import type { Act } from '../../verb.ts';

const listFields = { status: wordField(TASK_STATUSES), owner: textField };

export const list: Act = (context, given) => {
  const { status, owner } = readFields(listFields, given);
  return withTeamReader(context, given.words, 0, (store, words) => {
    noMore(words);
    if (owner !== undefined) knownMember(store, owner);
    const all = store.board.fold().tasks;
    const isWanted = (task: Task): boolean =>
      (status === undefined || task.status === status) && (owner === undefined || ownerOf(task) === owner);
    const tasks = [...all.values()].filter(isWanted);
    context.result({ tasks }, taskRows(tasks, all));
    if (tasks.length === 0) context.info(all.size === 0 ? 'The board is empty.' : 'No task matches.');
    return Promise.resolve(0);
  });
};

const ownerOf = (task: Task): string | undefined => (task.status === 'in_progress' ? task.claim.member : task.owner);

export const get: Act = (context, given) =>
  withTeamReader(context, given.words, 1, (store, [reference, ...rest]) => {
    noMore(rest);
    if (reference === undefined) throw new UsageError('USAGE', 'Which task? `teams task list` shows all tasks.');
    const task = resolveTask(store.board.fold(), reference);
    const history = taskHistory(store, task);
    if (context.flags.json) context.result({ task: { ...task, history } }, '');
    else context.printPainted(wholeTask(task, history, resultOf(store, task), painter(context, store)));
    return Promise.resolve(0);
  });
