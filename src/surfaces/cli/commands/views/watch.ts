/**
 * `teams watch`: shows a team live in the terminal, whichever process leads it, and also after its end; with `--from` it
 * moves through its past.
 */
import process from 'node:process';
import * as z from 'zod';
import { PastWatch, TeamWatch, UsageError, type Prices, type TeamPaths } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import type { CliContext } from '../../context.ts';
import { momentIn } from '../../input/moment.ts';
import { flag, noMore, readOptions, text } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { teamActions } from '../../output/team-actions.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ plain: flag, from: text });

const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

export const act: Act = async (context, given) => {
  const { plain, from } = readOptions(schema, given);
  const { team, words } = chooseTeam(context, given.words, { archived: true });
  noMore(words);
  const { watchdogWarningMs: stalledAfterMs, prices } = settings(context).merged.config;
  if (from !== undefined)
    return untilStopped(context, (signal) => past(context, team.paths, { from, plain, prices, signal }));
  const watch = new TeamWatch(team.paths, { stalledAfterMs, prices });
  try {
    return await untilStopped(context, (signal) => shown(context, watch, { isPlain: plain, signal }));
  } finally {
    watch.close();
  }
};

async function shown(
  context: CliContext,
  watch: TeamWatch,
  { isPlain, signal }: { readonly isPlain: boolean; readonly signal: AbortSignal },
): Promise<void> {
  if (context.flags.json) {
    for await (const events of watch.follow(signal, { endsWithRun: true }))
      if (!(await deliverMail(context, events.map(jsonLine).join('')))) return;
    return;
  }
  const { watchTeam } = await import('../../../terminal/progress-view.ts');
  const { notify } = settings(context).merged.config;
  await watchTeam(watch, { ...dashboard(context, watch.store.paths, isPlain), notify, signal });
}

/** @throws UsageError `USAGE` where nobody could move through it */
async function past(
  context: CliContext,
  paths: TeamPaths,
  {
    from,
    plain,
    prices,
    signal,
  }: { readonly from: string; readonly plain: boolean; readonly prices: Prices; readonly signal: AbortSignal },
): Promise<void> {
  const moment = momentIn(from);
  const { isDrawn, watchTeam } = await import('../../../terminal/progress-view.ts');
  const options = dashboard(context, paths, plain || context.flags.json);
  if (!(await isDrawn(options)))
    throw new UsageError(
      'USAGE',
      `--from needs a terminal, to move through the past. \`teams at ${paths.name} ${from}\` prints that moment.`,
    );
  const watch = await PastWatch.open(paths, moment, prices);
  try {
    await watchTeam(watch, { ...options, past: watch, notify: 'off', signal });
  } finally {
    watch.close();
  }
}

function dashboard(context: CliContext, paths: TeamPaths, isPlain: boolean) {
  const { stdout, environment, own } = context.io;
  // A test's stream is not this process's terminal.
  const isOwn = own !== undefined && environment['TERM'] !== 'dumb';
  return {
    isPlain: isPlain || !isOwn,
    color: context.isColorful,
    actions: teamActions(context, paths, { isLedHere: false }),
    write: (written: string) => void stdout.write(written),
  };
}

/**
 * Runs until the work ends, the reader of stdout is gone, or a signal comes.
 * @returns the exit code
 */
async function untilStopped({ io }: CliContext, work: (signal: AbortSignal) => Promise<void>): Promise<number> {
  const stopped = new AbortController();
  let code = 0;
  const handlers = Object.entries(SIGNALS).map(([signal, exitCode]) => {
    const handler = (): void => {
      code = exitCode;
      stopped.abort();
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  try {
    await work(AbortSignal.any([stopped.signal, io.gone]));
    return code;
  } finally {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  }
}
