/** `teams export`: a run as one self-contained HTML page, or as JSON. */
import * as z from 'zod';
import { exportOf, rewriteUserFile, type TeamExport } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import { timelineView } from '../../output/json-view.ts';
import type { CliContext } from '../../context.ts';
import { noMore, readOptions } from '../../input/options.ts';
import { outFile } from '../../output/out-file.ts';
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
    const path = outFile(context.io.cwd, store.paths.root, out);
    rewriteUserFile(path, [...piecesOf(context, run)].join(''));
    context.info(`Team ${run.team} was written to ${path}.`);
    return 0;
  });
};

async function print(context: CliContext, run: TeamExport): Promise<number> {
  for (const piece of piecesOf(context, run)) if (!(await deliverMail(context, piece))) break;
  return 0;
}

const piecesOf = (context: CliContext, run: TeamExport): Iterable<string> =>
  context.flags.json ? [jsonLine({ ...run, timeline: timelineView(run.timeline) })] : exportPage(run);
