/** `teams cancel`: a run, stopped for good. */
import * as z from 'zod';
import { closeTeam, teamCancelled, teamForceCancelled } from '../../../../index.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { mustNotBeMember } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ force: flag });

export const act: Act = async (frame, given) => {
  const { force } = readOptions(schema, given);
  mustNotBeMember(frame, 'cancels its team');
  const { team, words } = chooseTeam(frame, given.words);
  noMore(words);
  const { stopped, completed, total } = await closeTeam(
    team.paths,
    { purpose: 'cancel', force, now: force },
    settings(frame).session,
  );
  const said = force ? teamForceCancelled(team.name) : teamCancelled(team.name, stopped.length, completed, total);
  frame.answer({ team: team.name, stopped, completed, total }, said);
  return 0;
};
