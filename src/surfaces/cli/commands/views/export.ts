/** `teams export`: a run as one self-contained HTML page, or as JSON. */
import { relative, resolve } from 'node:path';
import * as z from 'zod';
import { exportOf, rewriteUserFile, UsageError, type TeamExport } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import { timelineView } from '../../output/json-view.ts';
import type { CliContext } from '../../context.ts';
import { noMore, readOptions } from '../../input/options.ts';
import { exportPage } from '../../page/page.ts';
import { settings } from '../../input/settings.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ out: z.string().min(1).optional() });

export const act: Act = (context, given) => {
  const { out } = readOptions(schema, given);
  return withTeamReader(context, given.words, 0, async (store, words) => {
    noMore(words);
    const run = await exportOf(store, settings(context).merged.config.prices);
    if (out === undefined) return print(context, run);
    const path = resolve(context.io.cwd, out);
    requireNotOurs(store.paths.root, path);
    rewriteUserFile(path, [...piecesOf(context, run)].join(''));
    context.info(`Team ${run.team} was written to ${path}.`);
    return 0;
  });
};

/** @throws UsageError `USAGE` for a place among the files of teams: a log that is overwritten is lost */
function requireNotOurs(root: string, path: string): void {
  const [first, , third] = relative(root, path).split('/');
  if (first === '.tasks' || (first === '.teams' && third !== 'trees'))
    throw new UsageError('USAGE', `${path} is among the files of teams; choose another place.`);
}

async function print(context: CliContext, run: TeamExport): Promise<number> {
  for (const piece of piecesOf(context, run)) if (!(await deliverMail(context, piece))) break;
  return 0;
}

const piecesOf = (context: CliContext, run: TeamExport): Iterable<string> =>
  context.flags.json ? [jsonLine({ ...run, timeline: timelineView(run.timeline) })] : exportPage(run);
