/** `teams cancel`: stops a run permanently. */
import * as z from 'zod';
import { closeTeam, endedRun, teamCancelled, teamForceCancelled, type EndedRun } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { settings } from '../../input/settings.ts';
import { noticeStopping } from '../../output/stopping-notice.ts';
import type { Act } from '../../verb.ts';
import { chooseRun } from './run-choice.ts';

const schema = z.object({ force: flag });

export const act: Act = async (context, given) => {
  const { force } = readOptions(schema, given);
  refuseMembers(context, 'cancel its team');
  const { team, words } = chooseRun(context, given.words, { whileLed: true });
  noMore(words);
  const ended = endedRun(team.paths, settings(context).merged.config.prices);
  if (ended !== undefined) return nothingToCancel(context, ended);
  using _notice = noticeStopping(context, team.name, `\`teams cancel ${team.name} --force\` does not wait for them`);
  const { stopped, completed, total } = await closeTeam(
    team.paths,
    { purpose: 'cancel', force, now: force },
    settings(context).session,
  );
  const said = force ? teamForceCancelled(team.name) : teamCancelled(team.name, stopped.length, completed, total);
  context.result({ team: team.name, stopped, completed, total }, said);
  return 0;
};

function nothingToCancel(context: CliContext, { outcome, report: { team, tasks } }: EndedRun): number {
  const completed = tasks.filter(({ status }) => status === 'completed').length;
  context.result(
    { team, stopped: [], completed, total: tasks.length },
    `Nothing to cancel: team ${team} has ended (${outcome}).`,
  );
  return 0;
}
