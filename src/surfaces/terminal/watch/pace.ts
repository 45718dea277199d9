/** When to draw: soon after news, at least so long after the last drawing, and never for more than a share of the time. */
const LEAST_MS = 50;
/** Drawing may take this share of the time at most. */
const SHARE = 0.2;

/** Milliseconds from one drawing to the next. @param tookMs what the last one took */
export const pauseAfter = (tookMs: number): number => Math.max(LEAST_MS, tookMs / SHARE);
