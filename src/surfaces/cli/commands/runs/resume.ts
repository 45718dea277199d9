/** `teams resume`: continues an interrupted run. */
import * as z from 'zod';
import { resumeTeam } from '../../../../app.ts';
import { duration, flag, money, noMore, wholeNumber, readOptions } from '../../input/options.ts';
import { detachRun, leadRun, sessionOf } from '../../input/lead-run.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';
import { progressOf } from './run.ts';

const schema = z.object({
  maxCost: money,
  maxTokens: wholeNumber,
  timeout: duration,
  failFast: flag,
  strict: flag,
  detach: flag,
  takeover: flag,
});

export const act: Act = async (context, given) => {
  const flags = readOptions(schema, given);
  refuseMembers(context, 'resume a run');
  const { team, words } = chooseTeam(context, given.words);
  noMore(words);
  if (flags.detach) return detachRun(context, team.paths, flags);
  const { session, agents } = settings(context);
  const lead = { ...sessionOf(session, flags), passesCheckpoints: context.flags.yes };
  return leadRun(context, team.paths, flags, (run) => resumeTeam(team.paths, lead, run, agents), progressOf(context));
};
