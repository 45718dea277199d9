/** `teams diff`: shows what a run has changed since its safety point. */
import { changesSince, interruptedUndo } from '../../../../app.ts';
import { noMore } from '../../input/options.ts';
import { taskNamed, withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 1, async (store, [reference, ...rest]) => {
    noMore(rest);
    const task = reference === undefined ? undefined : taskNamed(store, reference);
    const { from, files, text, undoing } = await changesSince(store, task, context.io.gone);
    if (undoing !== undefined) context.warn(interruptedUndo(store.paths.name, undoing));
    context.result({ team: store.paths.name, task: task?.id ?? null, from, files, diff: text }, text);
    return 0;
  });
