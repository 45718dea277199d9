/** `teams pr`: a pull request of what landed. */
import * as z from 'zod';
import { ENV } from '../../../../app.ts';
import { lastUnapplied } from '../../input/apply-work.ts';
import { noMore, readOptions, text } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { proposeWork } from '../../input/propose-work.ts';
import { taskNamed, withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ branch: text, remote: text, task: text });

export const act: Act = async (context, given) => {
  const { branch, remote, task: named } = readOptions(schema, given);
  refuseMembers(context, 'push what landed');
  const isNamed = given.words.length > 0 || (context.io.environment[ENV.team] ?? '') !== '';
  const last = isNamed ? undefined : await lastUnapplied(context);
  return withTeamReader(context, last === undefined ? given.words : [last], 0, (reader, words) => {
    noMore(words);
    const task = named === undefined ? undefined : taskNamed(reader, named);
    return proposeWork(context, reader, { branch, remote, task });
  });
};
