/**
 * What the queue of changes does about a git or a disk that fails again and again (docs/isolation.md): it waits longer
 * each time. What lasts goes back to its member if only one change has it; else the queue is held until a person acts.
 */

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
/** So many failures in a row, about a minute, are no passing trouble. */
const MOST_TRIES = 6;

/** @param tries failures in a row */
export const pauseAfter = (tries: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, tries - 1));

/**
 * @param tries failures in a row
 * @param isWaitedFor a full disk, or a team's store that is away: the work goes on by itself when somebody mends that
 */
export const isLasting = (tries: number, { isWaitedFor }: { readonly isWaitedFor: boolean }): boolean =>
  tries >= MOST_TRIES && !isWaitedFor;
