/** `teams export`: a run as one page that needs nothing else, or as JSON. */
import { resolve } from 'node:path';
import * as z from 'zod';
import { exportOf, rewriteUserFile, safeJson, type TeamExport } from '../../../../index.ts';
import { delivered } from '../../output/deliver-mail.ts';
import type { Frame } from '../../context.ts';
import { noMore, readOptions } from '../../input/options.ts';
import { pageOf } from '../../page/page.ts';
import { withSeenTeam } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ out: z.string().min(1).optional() });

export const act: Act = (frame, given) => {
  const { out } = readOptions(schema, given);
  return withSeenTeam(frame, given.words, 0, async (store, words) => {
    noMore(words);
    const run = await exportOf(store);
    if (out === undefined) return print(frame, run);
    const path = resolve(frame.outside.cwd, out);
    rewriteUserFile(path, [...piecesOf(frame, run)].join(''));
    frame.say(`Team ${run.team} was written to ${path}.`);
    return 0;
  });
};

async function print(frame: Frame, run: TeamExport): Promise<number> {
  for (const piece of piecesOf(frame, run)) if (!(await delivered(frame, piece))) break;
  return 0;
}

const piecesOf = (frame: Frame, run: TeamExport): Iterable<string> =>
  frame.flags.json ? [`${safeJson({ schemaVersion: 1, ...run })}\n`] : pageOf(run);
