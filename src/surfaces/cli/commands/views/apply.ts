/** `teams apply`: brings what landed into the project's files. */
import * as z from 'zod';
import { carryOutApply, planApply, type ApplyPlan } from '../../../../app.ts';
import { noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({});

export const act: Act = (context, given) =>
  withTeamReader(context, given.words, 0, async (reader, words) => {
    noMore(words);
    readOptions(schema, given);
    refuseMembers(context, 'apply what landed');
    const plan = await planApply(reader, context.io.gone);
    const files = plan.steps.map(({ path, from, to }) => ({ path, change: changeOf(from, to) }));
    const answer = { team: reader.paths.name, landed: plan.landed, files };
    if (files.length === 0) {
      context.result({ ...answer, done: false }, 'Nothing to apply: your files have all that landed.');
      return 0;
    }
    await carryOutApply(reader, plan, settings(context).session.store, context.io.gone);
    context.result({ ...answer, done: true }, textOf(reader.paths.name, plan, files));
    return 0;
  });

const changeOf = (from: object | null, to: object | null): 'added' | 'modified' | 'deleted' => {
  if (from === null) return 'added';
  return to === null ? 'deleted' : 'modified';
};

function textOf(team: string, { landed }: ApplyPlan, files: readonly { path: string; change: string }[]): string {
  const tasks = `${landed} ${landed === 1 ? 'task' : 'tasks'}`;
  const many = `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  return [
    ...files.map(({ path, change }) => `  ${change}: ${path}`),
    `Applied ${tasks}, ${many}. \`teams undo ${team}\` takes them back.`,
  ].join('\n');
}
