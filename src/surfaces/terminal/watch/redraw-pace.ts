/** When to draw: soon after news, at least so long after the last drawing, and never for more than a share of the time. */
const LEAST_MS = 50;
/** However long a drawing took (the first one of a process, or on a busy machine), the screen is not older than this for it. */
const MOST_MS = 500;
/** Drawing may take this share of the time at most. */
const SHARE = 0.2;

/** Milliseconds from one drawing to the next. @param tookMs what the last one took */
export const pauseAfter = (tookMs: number): number => Math.min(MOST_MS, Math.max(LEAST_MS, tookMs / SHARE));
