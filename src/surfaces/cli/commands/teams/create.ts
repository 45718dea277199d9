/** `teams create`: makes a team on disk; starts no process. */
import * as z from 'zod';
import { isReplica, newTeam, profileSchema, type MemberInput } from '../../../../app.ts';
import { excludeTeamFiles } from '../../input/git-exclude.ts';
import { readOptions, texts } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ member: texts, profile: profileSchema.default('v8') });

export const act: Act = async (context, given) => {
  const { member, profile } = readOptions(schema, given);
  const [name = ''] = given.words;
  const { open } = settings(context);
  const input = { profile, members: member.map(memberOf) };
  const cwd = context.store === undefined ? undefined : context.io.cwd;
  await using team = await newTeam(name, { ...input, cwd }, open);
  if (!isReplica(open.root)) excludeTeamFiles(context);
  const place = isReplica(open.root) ? 'the store' : team.paths.folder;
  context.result({ team: team.name }, `Team ${team.name} was created in ${place}.`);
  return 0;
};

/** @param text `ada`, or `ada:explorer` */
function memberOf(text: string): MemberInput {
  const at = text.indexOf(':');
  return at === -1 ? { name: text } : { name: text.slice(0, at), role: text.slice(at + 1) };
}
