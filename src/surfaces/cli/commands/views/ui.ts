/** `teams ui`: a page in the browser, until it is ended. */
import * as z from 'zod';
import { basename } from 'node:path';
import { UsageError } from '../../../../index.ts';
import { Endings } from '../../interrupts.ts';
import { noMore, readOptions, wholeNumber } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ port: wholeNumber });

export const act: Act = async (frame, given) => {
  const { port = 0 } = readOptions(schema, given);
  if (port > 65_535) throw new UsageError('USAGE', `--port: Expected at most 65535, got ${port}.`);
  const { team, words } =
    given.words.length === 0 ? { team: undefined, words: [] } : chooseTeam(frame, given.words, { archived: true });
  noMore(words);
  const { merged, open } = settings(frame);
  const { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs } = merged.config;
  using endings = new Endings();
  const { openUi } = await import('../../../web/open-ui.ts');
  const ui = await openUi({
    ...{
      port,
      open,
      watch: { stalledAfterMs: watchdogWarningMs },
      why: { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs },
    },
    ...(team === undefined ? {} : { team: basename(team.paths.folder) }),
  });
  frame.answer({ url: ui.url, port: ui.port }, ui.url);
  frame.say('Open this address in a browser; it is good for this machine and until Ctrl-C.');
  const stop = AbortSignal.any([endings.stop, frame.outside.gone]);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await ui.close();
  return endings.code ?? 0;
};
