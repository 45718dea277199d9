/**
 * The pause after a vendor's limit. One of it is shared by all teammates that use the vendor, so that five of them do
 * not hammer a 429 (SPEC §8). Whole jitter below the exponential ceiling; what the vendor itself asks for is kept, with
 * a little more so that not all come back in the same moment.
 */
export const FIRST_PAUSE_MS = 1_000;
export const LONGEST_PAUSE_MS = 60_000;
/** A vendor may ask for more than we would ever wait by ourselves, up to this. */
export const LONGEST_ASKED_MS = 15 * 60_000;
/** A task whose agent was at fault is not tried again by the same member before that. */
export const RETRY_AFTER_FAULT_MS = 5_000;

/**
 * @param attempt refusals in a row so far, the first is 1
 * @param random in [0, 1)
 * @returns milliseconds until the next call, at least half the ceiling of this attempt, never less than was asked for
 */
export function nextPause(attempt: number, random: number, retryAfterMs?: number): number {
  if (retryAfterMs !== undefined) {
    const asked = Math.min(Math.max(retryAfterMs, 0), LONGEST_ASKED_MS);
    return Math.round(asked + random * Math.min(FIRST_PAUSE_MS, asked / 10));
  }
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(Math.max(attempt, 1) - 1, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}

/** What a team keeps of one vendor. */
export interface VendorPause {
  readonly refusals: number;
  /** On the caller's clock; nobody calls the vendor before it. */
  readonly until: number;
}

export const NO_PAUSE: VendorPause = { refusals: 0, until: 0 };

/**
 * A teammate was refused. Several that were refused in the same pause count once: they all called before they could
 * know of it.
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
  return { refusals, until: isNews || retryAfterMs !== undefined ? Math.max(pause.until, until) : pause.until };
}

/** A call that began after the pause succeeded: the vendor is well again. */
export const answeredAt = (pause: VendorPause, calledAt: number): VendorPause =>
  calledAt >= pause.until ? NO_PAUSE : pause;
