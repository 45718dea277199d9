/** How long a run will probably go on: from how fast its last tasks were completed. A guess, and shown as one. */

/** As many of the last completions count. */
const COUNTED = 20;
/** Fewer completions say nothing. */
const LEAST = 3;

interface Progress {
  /** When tasks were completed, in milliseconds, in the order of the log. */
  readonly completions: readonly number[];
  /** When the run began, in milliseconds. */
  readonly startedAt: number;
  /** Tasks that are neither completed nor given up. */
  readonly left: number;
  readonly now: number;
}

/** Milliseconds, at least 1; undefined while too little is known. It grows while nothing is completed. */
export function remainingMs({ completions, startedAt, left, now }: Progress): number | undefined {
  if (left <= 0 || completions.length < LEAST) return undefined;
  const last = completions.slice(-COUNTED);
  const from =
    completions.length > last.length ? (completions[completions.length - last.length - 1] ?? startedAt) : startedAt;
  return Math.max(1, Math.round(((now - from) / last.length) * left));
}
