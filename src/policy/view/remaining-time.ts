/**
 * How long a run will probably go on: from how fast its last tasks were completed. A guess, and shown as one. While
 * some members wait for a person, it is of use for what the others do; where nobody works, nothing is guessed.
 */
import { count, type Board } from '../../model/board/board.ts';
import type { MemberState } from '../../model/member/member-status.ts';
import type { RunOutcome } from '../run-outcome.ts';

/** As many of the last completions count. */
const COUNTED = 20;
/** Fewer completions say nothing. */
const LEAST = 3;

interface Sight {
  readonly board: Board;
  readonly outcome: RunOutcome;
  readonly members: readonly { readonly state: MemberState }[];
  /** Wall time in milliseconds. */
  readonly at: number;
}

/** @returns milliseconds, at least 1; undefined while too little is known, and where nobody works */
export function remainingOf(
  { board, outcome, members, at }: Sight,
  { completions, startedAt }: Pick<Progress, 'completions' | 'startedAt'>,
): number | undefined {
  const isGoingOn =
    outcome === 'running' ||
    (outcome === 'waiting' && board.phase !== 'paused' && members.some(({ state }) => state === 'working'));
  if (!isGoingOn) return undefined;
  const { pending, in_progress: working, landing } = count(board);
  return remainingMs({ completions, startedAt, left: pending + working + landing, now: at });
}

interface Progress {
  /** When tasks were completed, in milliseconds, in the order of the log. */
  readonly completions: readonly number[];
  /** When the run began, in milliseconds. */
  readonly startedAt: number;
  /** Tasks that are neither completed nor given up. */
  readonly left: number;
  readonly now: number;
}

/** Grows while nothing is completed, and is no guess any more when all should have ended by now. */
function remainingMs({ completions, startedAt, left, now }: Progress): number | undefined {
  if (left <= 0 || completions.length < LEAST) return undefined;
  const last = completions.slice(-COUNTED);
  const from =
    completions.length > last.length ? (completions[completions.length - last.length - 1] ?? startedAt) : startedAt;
  const until = last.at(-1) ?? now;
  const guessed = ((until - from) / last.length) * left;
  return now - until > guessed ? undefined : Math.max(1, Math.round(((now - from) / last.length) * left));
}
