/**
 * Asks the member's agent whether it may be stopped (docs/specification.md R5.11): one short turn that only reads,
 * answered `APPROVE` or `REJECT: reason`. Whatever is not a rejection, a failed turn included, accepts.
 */
import { ENV } from '../../model/text/environment.ts';
import { rejectionIn, stopQuestion } from '../../policy/mail-wording.ts';
import type { Mailroom } from '../team/mailroom.ts';
import { runTaskTurn } from './runner.ts';
import type { TurnSetup } from './turn-setup.ts';

/** Shorter than the wait of every profile, so that the answer comes before the first signal. */
const ANSWER_MS = 10_000;
/** `TEAMS_PHASE` of the turn. */
const SHUTDOWN_PHASE = 'shutdown';

/** @returns why it refuses; undefined if it accepts */
export async function refusalToStop(
  turnSetup: TurnSetup,
  mailroom: Mailroom,
  request: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!(await turnSetup.slots.assign(undefined))) return undefined;
  const { environment } = turnSetup.slots.current;
  const runner = { ...turnSetup.runner([], { mailroom, taken: [] }, () => false), sandbox: 'read-only' as const };
  turnSetup.output.begin(undefined);
  try {
    const env = { ...environment, [ENV.phase]: SHUTDOWN_PHASE };
    const input = { prompt: stopQuestion(request), env, signal, timeoutMs: ANSWER_MS };
    const end = await runTaskTurn(runner, undefined, input);
    return end.kind === 'aborted' ? undefined : rejectionIn(end.text);
  } finally {
    turnSetup.output.end();
  }
}
