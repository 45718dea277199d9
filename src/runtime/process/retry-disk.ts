/** Waiting for a disk that is full or read-only for now: what is done stays done, and no task is to blame for it. */
import { isTeamError, type TeamError } from '../../model/text/errors.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const AGAIN_MS = 1_000;
const PASSING: ReadonlySet<string> = new Set(['NO_SPACE', 'READ_ONLY', 'IO']);

/** A failure of a disk that may be gone in a while. */
export const isTransientStoreError = (error: unknown): error is TeamError =>
  isTeamError(error) && PASSING.has(error.code);

/**
 * Does it again until the disk takes it.
 *
 * @param work what may be done twice
 * @param signal ends the patience: the next failure is thrown
 */
export async function retryWhenWritable<T>(
  store: Pick<TeamStore, 'clock' | 'events'>,
  signal: AbortSignal,
  work: () => T | Promise<T>,
): Promise<T> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isTransientStoreError(error)) throw error;
      if (!isTold) store.events.append({ type: 'disk.failed', text: error.message });
      await store.clock.sleep(AGAIN_MS, signal);
    }
  }
}
