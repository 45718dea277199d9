/** `teams delete`: stops a team and archives it. */
import * as z from 'zod';
import { closeTeam } from '../../../../app.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ force: flag, now: flag });

export const act: Act = async (context, given) => {
  const { force, now } = readOptions(schema, given);
  refuseMembers(context, 'delete its team');
  const { team, words } = chooseTeam(context, given.words);
  noMore(words);
  const { stopped } = await closeTeam(team.paths, { purpose: 'delete', force, now }, settings(context).session);
  const who = stopped.length === 0 ? '' : ` ${stopped.join(', ')} stopped.`;
  context.result({ team: team.name, stopped }, `Team ${team.name} was archived.${who}`);
  return 0;
};
