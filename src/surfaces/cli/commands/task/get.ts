/** `teams task get`: one task in full, with its history and its last result. */
import { resolveTask, resultOf, taskHistory, UsageError } from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { painter } from '../../output/painter.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import { wholeTask } from '../../output/task-rows.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, (store, [reference, ...rest]) => {
    noMore(rest);
    if (reference === undefined) throw new UsageError('USAGE', 'Which task? `teams task list` shows them.');
    const task = resolveTask(store.board.fold(), reference);
    const history = taskHistory(store, task);
    if (context.flags.json) context.result({ task: { ...task, history } }, '');
    else context.printPainted(wholeTask(task, history, resultOf(store, task), painter(context, store)));
    return Promise.resolve(0);
  });
