/** The pace of drawing: at least this long after the last drawing, and at most a share of the time. */
export const LEAST_MS = 50;
/** Upper limit of the pause, however long a drawing took (the first one of a process, or on a busy machine). */
const MOST_MS = 500;
/** Drawing may take at most this share of the time, unless a person presses keys. */
const SHARE = 0.06;

/**
 * Milliseconds from one drawing to the next.
 * @param tookMs duration of the last drawing
 */
export const pauseAfter = (tookMs: number): number => Math.min(MOST_MS, Math.max(LEAST_MS, tookMs / SHARE));
