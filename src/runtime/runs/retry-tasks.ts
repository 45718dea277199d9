/** Retries tasks for a person who looks at a team, and sees to it that somebody leads them. */
import { openForReading } from '../../store/team/team-reader.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { realClock } from '../../os/system-clock.ts';
import { detachLead, type DetachedPlace } from '../process/detach.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import { leadStatusOf } from '../views/external-status.ts';

/**
 * @param task one task; undefined for all that failed
 * @param place where a lead is started if nobody leads the team; undefined: the caller leads it
 * @returns what happened, as a sentence
 * @throws ConflictError for a task that did not fail
 */
export async function retryTasks(
  { board }: TeamHandle,
  paths: TeamPaths,
  task: string | undefined,
  place: DetachedPlace | undefined,
): Promise<string> {
  const ids = task === undefined ? await board.retryFailed() : [(await board.retry(task)).id];
  if (ids.length === 0) return 'No task has failed.';
  const again = `Pending again: ${ids.map((id) => `#${id}`).join(' ')}.`;
  if (place === undefined || isLed(paths)) return again;
  const pid = await detachLead(paths, ['resume', paths.name, '--root', paths.root], place);
  return `${again} A lead was started (pid ${pid}).`;
}

function isLed(paths: TeamPaths): boolean {
  const store = openForReading(paths, { clock: realClock });
  try {
    return leadStatusOf(store).alive;
  } finally {
    store.close();
  }
}
