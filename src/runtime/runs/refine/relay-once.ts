/** One call of one backend, `teams relay` (docs/specification.md R9.12). */
import { randomBytes } from 'node:crypto';
import type { Sandbox } from '../../../model/agent/agent.ts';
import { parseBackend } from '../../../model/pipeline/backend.ts';
import { AgentError, UsageError } from '../../../model/text/errors.ts';
import type { NotEnforced } from '../../../model/team/not-enforced.ts';
import { LIMITS, refusalOf, refusalText } from '../../../policy/context-budget.ts';
import { relayOutcome } from '../../../policy/refine/relay-outcome.ts';
import { relayPrompt } from '../../../policy/refine/relay-wording.ts';
import { ownSpender } from '../../budget/own-ledger.ts';
import { gitDiff } from '../../process/git-diff.ts';
import { refuseNesting, RelayCalls, FAULT_CODES } from '../relay-call.ts';
import { requireInstalled, type RefinePlace } from './refine-setup.ts';

interface RelayAsk {
  /** One backend, in the syntax of `--to`. */
  readonly to: string;
  readonly prompt: string;
  readonly contextText?: string | undefined;
  readonly includeDiff: boolean;
  readonly sandbox: Sandbox;
  /** The user named the sandbox. */
  readonly isAsked: boolean;
  /** Called just before the backend starts. */
  readonly onStart?: () => void;
  /** Called if its sandbox is not enforced. */
  readonly onNotEnforced: (told: NotEnforced) => void;
}

/**
 * @returns its answer; undefined when `signal` aborted first
 * @throws UsageError `USAGE` for what is over a limit; AgentError if the backend is not available or failed
 */
export async function relayOnce(ask: RelayAsk, place: RefinePlace, signal: AbortSignal): Promise<string | undefined> {
  refuseNesting(place.environment);
  const asked = parseBackend(ask.to, place.agents);
  const [backend] = asked.backends;
  if (backend === undefined) throw new TypeError('one word names one backend');
  const prompt = await promptOf(ask, place, signal);
  await requireInstalled(asked, place);
  const { isolation = 'auto', lend } = place.session;
  const spender = await ownSpender(place.session);
  const { onNotEnforced } = ask;
  const calls = new RelayCalls({ ...place, isolation, lend, onNotEnforced, spender: () => spender });
  try {
    const about = backend.label;
    const { sandbox, isAsked } = ask;
    const call = { about, agent: backend.agent, prompt, sandbox, isAsked, timeoutMs: place.relayTimeoutMs };
    ask.onStart?.();
    const end = await calls.run(call, signal);
    if (end === undefined) return undefined;
    const outcome = relayOutcome(end, ask.sandbox);
    if (outcome.kind === 'success') return outcome.text;
    const { why, message } = outcome;
    throw new AgentError(FAULT_CODES[why] ?? 'AGENT_UNAVAILABLE', `${backend.label} failed (${why}): ${message}`, {
      retryable: why === 'rate_limited' || why === 'timeout',
    });
  } finally {
    await calls.close();
  }
}

async function promptOf(ask: RelayAsk, { cwd }: RefinePlace, signal: AbortSignal): Promise<string> {
  const { prompt, contextText, sandbox } = ask;
  if (prompt.trim() === '') throw new UsageError('USAGE', '--prompt is empty.');
  const over = refusalOf('context', contextText ?? '');
  if (over !== undefined) throw new UsageError('USAGE', refusalText(over));
  const diff = ask.includeDiff ? await gitDiff(cwd, signal) : undefined;
  if (diff?.ok === false)
    throw new UsageError('USAGE', refusalText({ part: 'diff', bytes: diff.bytes, limit: LIMITS.diff }));
  const fitted = relayPrompt({
    task: prompt,
    sandbox,
    boundary: randomBytes(9).toString('hex'),
    contextText,
    diff: diff?.text,
  });
  if (!fitted.ok) throw new UsageError('USAGE', refusalText(fitted.refusal));
  return fitted.prompt;
}
