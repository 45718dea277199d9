/**
 * Waits for a disk that is temporarily full or read-only: finished work is not lost, and no task fails because of it.
 */
import { codeOf, isTeamError, type TeamError } from '../../model/text/errors.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

const AGAIN_MS = 1_000;
const PASSING: ReadonlySet<string> = new Set(['NO_SPACE', 'READ_ONLY', 'IO']);

const NO_ROOM = /\((?:ENOSPC|EDQUOT|EROFS)\)|no space left|out of diskspace|disk quota|read-only file system/i;

/** Whether it is about a full or read-only disk, also if git says so. */
export const hasNoRoom = (error: Error): boolean => codeOf(error) === 'NO_SPACE' || NO_ROOM.test(error.message);

/** Whether a person or a machine will mend it, so that it is waited for: no room, or a team's store that is away. */
export const isWaitedFor = (error: Error): boolean => hasNoRoom(error) || isStoreAway(error);

export const isStoreAway = (error: Error): boolean => codeOf(error) === 'ENGINE_UNREACHABLE';

/** Whether the error is a disk failure that may pass. */
export const isTransientStoreError = (error: unknown): error is TeamError =>
  isTeamError(error) && PASSING.has(error.code);

/**
 * Repeats `work` until the disk accepts it.
 *
 * @param work must be safe to repeat
 * @param signal when aborted, the next failure is thrown
 */
export async function retryWhenWritable<T>(
  store: Pick<TeamStore, 'clock' | 'events'>,
  signal: AbortSignal,
  work: () => T | Promise<T>,
): Promise<T> {
  for (let isLogged = false; ;) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted || !isTransientStoreError(error)) throw error;
      isLogged ||= store.events.append({ type: 'disk.failed', text: error.message }) === undefined;
      await store.clock.sleep(AGAIN_MS, signal);
    }
  }
}
