/** `teams relay`: calls one backend once and prints its answer. */
import * as z from 'zod';
import {
  duration as durationText,
  isTeamError,
  notEnforcedText,
  relayOnce,
  sandboxSchema,
  UsageError,
} from '../../../../app.ts';
import { Interrupts, TIMED_OUT } from '../../interrupts.ts';
import { fail } from '../../cli-failure.ts';
import { duration, flag, noMore, readOptions, text } from '../../input/options.ts';
import { givenText } from '../../input/stdin.ts';
import { budgetFlags } from '../../input/limit-change.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { refinePlace } from '../../input/refine-place.ts';
import { freeTerminal } from '../../output/lead-terminal.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  to: text,
  repo: text,
  prompt: text,
  contextText: text,
  includeDiff: flag,
  sandbox: sandboxSchema.optional(),
  timeout: duration,
  ...budgetFlags,
});

export const act: Act = async (context, given) => {
  const { to, repo, prompt, contextText, includeDiff, sandbox: asked, timeout, ...limits } = readOptions(schema, given);
  const sandbox = asked ?? 'read-only';
  refuseMembers(context, 'run `relay`');
  noMore(given.words);
  if (prompt === undefined) throw new UsageError('USAGE', '--prompt: Expected a prompt; `-` reads it from stdin.');
  using interrupts = new Interrupts();
  freeTerminal(context);
  const backend = to ?? '';
  interrupts.stop.addEventListener('abort', () => context.warn(`Stopping ${backend}, at most 2 s.`), { once: true });
  const place = refinePlace(context, repo, limits);
  const limit = timeout ?? place.relayTimeoutMs;
  try {
    const answer = await relayOnce(
      {
        to: backend,
        prompt: await givenText(context, prompt),
        includeDiff,
        sandbox,
        isAsked: asked !== undefined,
        onStart: () => {
          if (context.isInteractive) context.info(`${backend} works, at most ${durationText(limit)}; Ctrl-C stops it.`);
        },
        onNotEnforced: (told) => context.warn(`not enforced: ${notEnforcedText(told)}`),
        contextText: contextText === undefined ? undefined : await givenText(context, contextText),
      },
      { ...place, relayTimeoutMs: limit },
      interrupts.stop,
    );
    if (answer === undefined) return interrupts.code ?? 1;
    context.result({ backend, sandbox, text: answer }, answer);
    return 0;
  } catch (error) {
    if (!isTeamError(error) || error.code !== 'AGENT_TIMEOUT') throw error;
    fail(error, context.flags, context.io);
    return TIMED_OUT;
  }
};
