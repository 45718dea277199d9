/**
 * The pause after a vendor's rate limit. All teammates that use the vendor share one pause, so that they do not all
 * retry a 429 (docs/specification.md R7.9). Full jitter applies below the exponential ceiling. A `retry-after` of the
 * vendor is kept, plus a short random delay so that not all teammates retry at once.
 */
const FIRST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 60_000;
/** A vendor may ask for a longer pause than LONGEST_PAUSE_MS, up to this limit. */
export const LONGEST_ASKED_MS = 15 * 60_000;
/** After an agent fault, the same member does not retry the task before this time. */
export const RETRY_AFTER_FAULT_MS = 5_000;

/**
 * @param attempt refusals in a row so far, the first is 1
 * @param random in [0, 1)
 * @param retryAfterMs what the vendor asked for, in milliseconds
 * @returns milliseconds until the next call: at least half the ceiling of this attempt, never less than the vendor
 * asked for
 */
export function nextPause(attempt: number, random: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) {
    const asked = Math.min(Math.max(retryAfterMs, 0), LONGEST_ASKED_MS);
    return Math.round(asked + random * Math.min(FIRST_PAUSE_MS, asked / 10));
  }
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(Math.max(attempt, 1) - 1, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** What a team records about one vendor. */
export interface VendorPause {
  readonly refusals: number;
  /** Time on the caller's clock; no teammate calls the vendor before it. */
  readonly until: number;
  /** Milliseconds from its beginning to its end; absent in records of earlier versions. */
  readonly length?: number | undefined;
}

export const NO_PAUSE: VendorPause = { refusals: 0, until: 0 };

/**
 * Record that the vendor refused a teammate. Refusals of calls that began before the current pause count once: those
 * teammates could not know of it.
 *
 * @param calledAt when the refused call began
 */
export function refusedAt(
  pause: VendorPause,
  {
    calledAt,
    now,
    random,
    retryAfterMs,
  }: { calledAt: number; now: number; random: number; retryAfterMs?: number | undefined },
): VendorPause {
  const isNews = calledAt >= pause.until;
  const refusals = isNews ? pause.refusals + 1 : Math.max(1, pause.refusals);
  const until = now + nextPause(refusals, random, retryAfterMs);
  if (!isNews && retryAfterMs === undefined) return { refusals, until: pause.until, length: pause.length };
  const end = Math.max(pause.until, until);
  return { refusals, until: end, length: Math.max(0, end - now) };
}

/** A call that began after the pause succeeded: the vendor's limit is over. */
export const answeredAt = (pause: VendorPause, calledAt: number): VendorPause =>
  calledAt >= pause.until ? NO_PAUSE : pause;
