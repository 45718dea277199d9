/** `teams cancel`: stops a run permanently. */
import * as z from 'zod';
import { closeTeam, teamCancelled, teamForceCancelled } from '../../../../app.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ force: flag });

export const act: Act = async (context, given) => {
  const { force } = readOptions(schema, given);
  refuseMembers(context, 'cancel its team');
  const { team, words } = chooseTeam(context, given.words);
  noMore(words);
  const { stopped, completed, total } = await closeTeam(
    team.paths,
    { purpose: 'cancel', force, now: force },
    settings(context).session,
  );
  const said = force ? teamForceCancelled(team.name) : teamCancelled(team.name, stopped.length, completed, total);
  context.result({ team: team.name, stopped, completed, total }, said);
  return 0;
};
