/** `teams relay`: one call of one backend, its answer on stdout. */
import * as z from 'zod';
import { BACKEND_WORDS, isTeamError, relayOnce, sandboxSchema, UsageError } from '../../../../index.ts';
import { Endings, TIMED_OUT } from '../../interrupts.ts';
import { fail } from '../../cli-failure.ts';
import { duration, flag, noMore, readOptions, text } from '../../input/options.ts';
import { givenText } from '../../input/text-argument.ts';
import { mustNotBeMember } from '../../input/own-member.ts';
import { refinePlace } from '../../input/refine-place.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  ...{ to: text, repo: text, prompt: text, contextText: text, includeDiff: flag },
  ...{ sandbox: sandboxSchema.default('read-only'), timeout: duration },
});

export const act: Act = async (frame, given) => {
  const { to, repo, prompt, contextText, includeDiff, sandbox, timeout } = readOptions(schema, given);
  mustNotBeMember(frame, 'relays anything');
  noMore(given.words);
  if (to === undefined) throw new UsageError('USAGE', `--to: to whom? One of ${BACKEND_WORDS.join(', ')}.`);
  if (prompt === undefined) throw new UsageError('USAGE', '--prompt: what is to be asked? `-` reads it from stdin.');
  using endings = new Endings();
  const place = refinePlace(frame, repo);
  try {
    const answer = await relayOnce(
      {
        ...{ to, prompt: await givenText(frame, prompt), includeDiff, sandbox },
        ...(contextText === undefined ? {} : { contextText: await givenText(frame, contextText) }),
      },
      timeout === undefined ? place : { ...place, relayTimeoutMs: timeout },
      endings.stop,
    );
    if (answer === undefined) return endings.code ?? 1;
    frame.answer({ backend: to, sandbox, text: answer }, answer);
    return 0;
  } catch (error) {
    if (!isTeamError(error) || error.code !== 'AGENT_TIMEOUT') throw error;
    fail(error, frame.flags, frame.outside);
    return TIMED_OUT;
  }
};
