/** `teams apply`: brings what landed into the project's files, or into a new branch. */
import * as z from 'zod';
import { ENV, makeBranch } from '../../../../app.ts';
import { applyWork, lastUnapplied } from '../../input/apply-work.ts';
import { proposeWork } from '../../input/propose-work.ts';
import { noMore, readOptions, text } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { taskNamed, withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ branch: text, push: text, task: text });

export const act: Act = async (context, given) => {
  const { branch, push, task: named } = readOptions(schema, given);
  refuseMembers(context, 'apply what landed');
  const isNamed = given.words.length > 0 || (context.io.environment[ENV.team] ?? '') !== '';
  const last = isNamed ? undefined : await lastUnapplied(context);
  return withTeamReader(context, last === undefined ? given.words : [last], 0, async (reader, words) => {
    noMore(words);
    const task = named === undefined ? undefined : taskNamed(reader, named);
    const { name } = reader.paths;
    if (push !== undefined) return proposeWork(context, reader, { branch, remote: push, task });
    if (branch !== undefined) {
      const made = await makeBranch(reader, { name: branch, task }, context.io.gone);
      const commits = `${made.commits.length} ${made.commits.length === 1 ? 'commit' : 'commits'}`;
      const lines = made.commits.map((subject) => `  ${subject}`);
      const note = `Branch ${branch} has ${commits} of team ${name} on HEAD. Your files are as they were.`;
      context.result({ team: name, branch, commit: made.commit, commits: made.commits }, [...lines, note].join('\n'));
      return 0;
    }
    const { answer, text: shown } = await applyWork(context, reader, { task });
    context.result(answer, last === undefined ? shown : `Team ${name}\n${shown}`);
    return 0;
  });
};
