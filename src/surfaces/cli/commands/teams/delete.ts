/** `teams delete`: stops a team and archives it. */
import * as z from 'zod';
import {
  archiveRemains,
  archiveStamp,
  closeTeam,
  isName,
  realClock,
  remainsOf,
  type TeamPaths,
} from '../../../../app.ts';
import { refuseUnapplied } from '../../input/apply-work.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import { noticeStopping } from '../../output/stopping-notice.ts';
import type { CliContext } from '../../context.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ force: flag, now: flag });

export const act: Act = async (context, given) => {
  const { force, now } = readOptions(schema, given);
  refuseMembers(context, 'delete its team');
  const remains = remainsIn(context, given.words);
  if (remains !== undefined) {
    archiveRemains(remains, archiveStamp(realClock.now()));
    const text = `The remains of team ${remains.name}, whose board was missing, were archived.`;
    context.result({ team: remains.name, stopped: [] }, text);
    return 0;
  }
  const { team, words } = chooseTeam(context, given.words);
  noMore(words);
  if (!force) await refuseUnapplied(context, team.paths, '--force');
  using _notice = noticeStopping(context, team.name, `\`teams delete ${team.name} --now\` does not wait for them`);
  const { stopped } = await closeTeam(team.paths, { purpose: 'delete', force, now }, settings(context).session);
  const who = stopped.length === 0 ? '' : ` ${stopped.join(', ')} stopped.`;
  context.result({ team: team.name, stopped }, `Team ${team.name} was archived.${who}`);
  return 0;
};

/** The folder of a team that the words name, if its board is missing. */
function remainsIn(context: CliContext, [name, ...more]: readonly string[]): TeamPaths | undefined {
  if (name === undefined || more.length > 0 || !isName(name)) return undefined;
  return remainsOf(rootOf(context), name);
}
