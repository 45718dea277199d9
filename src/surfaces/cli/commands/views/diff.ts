/** `teams diff`: shows what a run has changed since its safety point. */
import { changesSince, resolveTask } from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, async (store, [reference, ...rest]) => {
    noMore(rest);
    const task = reference === undefined ? undefined : resolveTask(store.board.fold(), reference);
    const { from, files, text } = await changesSince(store, task, context.io.gone);
    context.result({ team: store.paths.name, task: task?.id ?? null, from, files, diff: text }, text);
    return 0;
  });
