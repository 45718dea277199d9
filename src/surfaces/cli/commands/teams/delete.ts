/** `teams delete`: stops a team and archives it. */
import * as z from 'zod';
import { closeTeam } from '../../../../index.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { mustNotBeMember } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ force: flag, now: flag });

export const act: Act = async (frame, given) => {
  const { force, now } = readOptions(schema, given);
  mustNotBeMember(frame, 'deletes its team');
  const { team, words } = chooseTeam(frame, given.words);
  noMore(words);
  const { stopped } = await closeTeam(team.paths, { purpose: 'delete', force, now }, settings(frame).session);
  const who = stopped.length === 0 ? '' : ` ${stopped.join(', ')} stopped.`;
  frame.answer({ team: team.name, stopped }, `Team ${team.name} was put into the archive.${who}`);
  return 0;
};
