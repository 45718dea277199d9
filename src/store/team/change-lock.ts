/**
 * The lock of a root in which an undo, a redo or an apply changes the project's files. It is held for seconds, so nobody
 * waits for it: the second one is told who holds it. A dead holder's lock is taken over.
 */
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import { ConflictError } from '../../model/text/errors.ts';
import type { Clock } from '../../model/text/clock.ts';
import { livenessOf } from '../../os/process-table.ts';
import type { Disk } from '../files/disk.ts';
import { folderAt, isElsewhere } from '../files/folder-of.ts';
import { rootPaths } from '../files/paths.ts';
import { Locks } from '../lock/lock.ts';
import { lockStateOf, type TakenLock } from '../lock/lock-state.ts';

interface ChangeEnvironment {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

/** @throws ConflictError `LOCK_TIMEOUT` naming the holder; then `work` has not begun */
export async function withChangeLock<T>(
  root: string,
  { disk, clock }: ChangeEnvironment,
  work: () => Promise<T>,
): Promise<T> {
  const { teams, tokens, changeLock } = rootPaths(root);
  const locks = new Locks(tokens, { disk, clock, folder: folderAt(disk, teams), isOurs: true });
  try {
    const sight = locks.tryTake(changeLock);
    if (sight !== undefined) throw changing(sight);
    try {
      return await work();
    } finally {
      locks.giveBack(changeLock);
    }
  } finally {
    locks.close();
  }
}

/** @throws ConflictError `LOCK_TIMEOUT` if another living process changes files now */
export function requireNoChange(root: string, disk: Disk): void {
  const { teams, changeLock } = rootPaths(root);
  const sight = lockStateOf(disk, changeLock);
  if (sight.kind !== 'held' || isElsewhere(sight.by, folderAt(disk, teams)) || livenessOf(sight.by) === 'dead') return;
  throw changing(sight);
}

function changing(sight: TakenLock): ConflictError {
  const who = sight.kind === 'held' ? `Process ${sight.by.pid}` : 'Another process';
  const since = sight.kind === 'held' ? ` since ${dayAndTime(sight.since)}` : '';
  return new ConflictError(
    'LOCK_TIMEOUT',
    `${who} changes files of this project${since} (an undo or an apply), so nothing was done here: wait for its end, then give the same command again.`,
  );
}
