/** `teams cancel`: a run, stopped for good. */
import * as z from 'zod';
import { closeTeam } from '../../../index.ts';
import { flag, noMore, readOptions } from '../given.ts';
import { mustNotBeMember } from '../own-member.ts';
import { settings } from '../settings.ts';
import { chooseTeam } from '../team-choice.ts';
import type { Act } from '../verb.ts';

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
  const what = `Team ${team.name} ${force ? 'force-cancelled' : 'cancelled'}.`;
  const counted = `${stopped.length} workers stopped. ${completed}/${total} tasks were completed before cancellation.`;
  frame.answer({ team: team.name, stopped, completed, total }, `${what} ${counted}`);
  return 0;
};
