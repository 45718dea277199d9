/** `teams task get`: one task in full, with its history and its last result. */
import { resolveTask, resultOf, taskHistory, UsageError } from '../../../../index.ts';
import { noMore } from '../../input/options.ts';
import { painter } from '../../output/painter.ts';
import { withSeenTeam } from '../../input/team-reader-choice.ts';
import { wholeTask } from '../../output/task-rows.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (frame, given) =>
  withSeenTeam(frame, given.words, 1, (store, [reference, ...rest]) => {
    noMore(rest);
    if (reference === undefined) throw new UsageError('USAGE', 'Which task? `teams task list` shows them.');
    const task = resolveTask(store.board.fold(), reference);
    const history = taskHistory(store, task);
    if (frame.flags.json) frame.answer({ task: { ...task, history } }, '');
    else frame.printPainted(wholeTask(task, history, resultOf(store, task), painter(frame, store)));
    return Promise.resolve(0);
  });
