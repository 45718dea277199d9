/** `teams ui`: serves the web page until it is interrupted. */
import * as z from 'zod';
import { basename } from 'node:path';
import { UsageError } from '../../../../app.ts';
import { Interrupts } from '../../interrupts.ts';
import { noMore, readOptions, wholeNumber } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import { freeTerminal } from '../../output/lead-terminal.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ port: wholeNumber });

export const act: Act = async (context, given) => {
  const { port = 0 } = readOptions(schema, given);
  if (port > 65_535) throw new UsageError('USAGE', `--port: Expected at most 65535, got ${port}.`);
  const { team, words } =
    given.words.length === 0 ? { team: undefined, words: [] } : chooseTeam(context, given.words, { archived: true });
  noMore(words);
  const { merged, open } = settings(context);
  const { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs, prices } = merged.config;
  using interrupts = new Interrupts();
  freeTerminal(context);
  const { openUi } = await import('../../../web/open-ui.ts');
  const ui = await openUi({
    port,
    open,
    watch: { stalledAfterMs: watchdogWarningMs, prices },
    why: { watchdogWarningMs, watchdogReassignMs, shutdownTimeoutMs },
    team: team && basename(team.paths.folder),
  });
  context.result({ url: ui.url, port: ui.port }, ui.url);
  context.info('Open this address in a browser on this machine; it works until Ctrl-C.');
  const stop = AbortSignal.any([interrupts.stop, context.io.gone]);
  await new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await ui.close();
  return interrupts.code ?? 0;
};
