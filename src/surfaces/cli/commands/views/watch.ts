/** `teams watch`: shows a team live in the terminal, whichever process leads it, and also after its end. */
import process from 'node:process';
import * as z from 'zod';
import { TeamWatch } from '../../../../app.ts';
import { deliverMail } from '../../output/deliver-mail.ts';
import { jsonLine } from '../../output/json-line.ts';
import type { CliContext } from '../../context.ts';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { teamActions } from '../../output/team-actions.ts';
import { chooseTeam } from '../../input/team-choice.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ plain: flag });

const SIGNALS = { SIGTERM: 143, SIGHUP: 129 } as const;

export const act: Act = async (context, given) => {
  const { plain } = readOptions(schema, given);
  const { team, words } = chooseTeam(context, given.words, { archived: true });
  noMore(words);
  const { watchdogWarningMs } = settings(context).merged.config;
  const watch = new TeamWatch(team.paths, { stalledAfterMs: watchdogWarningMs });
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
  const { stdout, environment } = context.io;
  if (context.flags.json) {
    for await (const events of watch.follow(signal, { endsWithRun: true }))
      if (!(await deliverMail(context, events.map(jsonLine).join('')))) return;
    return;
  }
  const { watchTeam } = await import('../../../terminal/progress-view.ts');
  // A test's stream is not this process's terminal.
  const isOwn = context.io.own !== undefined && environment['TERM'] !== 'dumb';
  await watchTeam(watch, {
    isPlain: isPlain || !isOwn,
    color: context.isColorful,
    signal,
    notify: settings(context).merged.config.notify,
    actions: teamActions(context, watch.store.paths, { isLedHere: false }),
    write: (text) => void stdout.write(text),
  });
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
