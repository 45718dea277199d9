/** `teams prune`: removes archived teams permanently. */
import * as z from 'zod';
import { archivedBefore, pruneTeams, realClock } from '../../../../app.ts';
import { confirmed } from '../../input/confirm.ts';
import { duration, flag, noMore, readOptions } from '../../input/options.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;
const schema = z.object({ olderThan: duration, dryRun: flag });

export const act: Act = async (context, given) => {
  const { olderThan = THIRTY_DAYS_MS, dryRun } = readOptions(schema, given);
  noMore(given.words);
  refuseMembers(context, 'remove archived teams');
  const teams = archivedBefore(rootOf(context), realClock.now() - olderThan);
  const lines = teams.map(({ name, archivedAt, paths }) => ({ name, archivedAt, folder: paths.folder }));
  const shown = table(lines.map(({ name, archivedAt = '', folder }) => [name, archivedAt, folder]));
  const isWanted =
    !dryRun &&
    teams.length > 0 &&
    (await confirmed(context, `Remove ${teams.length} archived teams permanently?\n${shown}\n`));
  if (isWanted) await pruneTeams(teams, context.io.gone);
  context.result({ teams: lines, removed: isWanted }, isWanted || dryRun ? shown : '');
  if (teams.length === 0) context.info('No archived team is that old.');
  return 0;
};
