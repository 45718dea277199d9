/** `teams replay`: whether today's policies decide as it was decided in a recorded run. */
import { resolve } from 'node:path';
import * as z from 'zod';
import { readCase, recordingOf, replay, replayText, saveCase, type ReplayResult } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore, readOptions } from '../../input/options.ts';
import { outFile } from '../../output/out-file.ts';
import { withTeamReader } from '../../input/team-reader-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ saveTest: z.string().min(1).optional() });

export const act: Act = async (context, given) => {
  const { saveTest } = readOptions(schema, given);
  const [file, ...rest] = given.words;
  if (file?.endsWith('.json') === true) {
    noMore(rest);
    return told(context, replay(readCase(resolve(context.io.cwd, file))));
  }
  return withTeamReader(context, given.words, 0, (store, words) => {
    noMore(words);
    const result = replay(recordingOf(store));
    if (saveTest !== undefined) {
      const path = outFile(context.io.cwd, store.paths.root, saveTest);
      saveCase(store, path);
      context.info(`Written: ${path}`);
    }
    return Promise.resolve(told(context, result));
  });
};

function told(context: CliContext, result: ReplayResult): number {
  context.result({ ...result }, replayText(result));
  return result.differences === 0 ? 0 : 1;
}
