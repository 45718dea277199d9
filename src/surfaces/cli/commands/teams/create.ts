/** `teams create`: makes a team on disk; starts no process. */
import * as z from 'zod';
import { makeTeam, profileSchema, type MemberInput } from '../../../../app.ts';
import { excludeTeamFiles } from '../../input/git-exclude.ts';
import { readOptions, texts } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ member: texts, profile: profileSchema.default('v8') });

export const act: Act = async (context, given) => {
  const { member, profile } = readOptions(schema, given);
  const [name = ''] = given.words;
  await using team = makeTeam(name, { profile, members: member.map(memberOf) }, settings(context).open);
  excludeTeamFiles(context);
  context.result({ team: team.name }, `Team ${team.name} was created in ${team.paths.folder}.`);
  return 0;
};

/** @param text `ada`, or `ada:explorer` */
function memberOf(text: string): MemberInput {
  const at = text.indexOf(':');
  return at === -1 ? { name: text } : { name: text.slice(0, at), role: text.slice(at + 1) };
}
