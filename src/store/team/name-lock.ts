/**
 * One lock for each team name of a root: `.teams/.<name>.lock`. A folder gets a team's name, loses it, or moves with it
 * only inside this lock, so that a process that was stopped there is waited for and named. Its age never matters. The
 * version before this one does not know the lock: against it only the checks of the pinned folder help.
 */
import type { Clock } from '../../model/text/clock.ts';
import type { Name } from '../../model/text/names.ts';
import { lookAt, type Disk } from '../files/disk.ts';
import { folderAt } from '../files/folder-of.ts';
import { rootPaths } from '../files/paths.ts';
import { Locks } from '../lock/lock.ts';

/**
 * How long a process waits for the lock of a name, in milliseconds. The whole process waits, so it is less than the
 * time after which a lease without a heartbeat counts as stale.
 */
const NAME_WAIT_MS = 5_000;

interface NameEnvironment {
  readonly disk: Disk;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Runs `work` while no other process creates, moves or archives a team of this name.
 *
 * @throws ConflictError `LOCK_TIMEOUT` naming the holder; then `work` has not run
 */
export function withName<T>(root: string, name: Name, environment: NameEnvironment, work: () => T): T {
  const timeoutMs = Math.min(NAME_WAIT_MS, environment.lockTimeoutMs ?? NAME_WAIT_MS);
  return withRootLocks(root, environment, (locks) =>
    locks.withLockBlocking(rootPaths(root).nameLock(name), work, { timeoutMs }),
  );
}

/** Like {@link withName}, without waiting: undefined if a living process holds the name; that process finishes it. */
export function withFreeName<T>(root: string, name: Name, environment: NameEnvironment, work: () => T): T | undefined {
  return withRootLocks(root, environment, (locks) => {
    const attempt = locks.tryLock(rootPaths(root).nameLock(name), work);
    return attempt.done ? attempt.value : undefined;
  });
}

/** Removes what dead processes left of the locks of names. */
export const sweepNames = (root: string, environment: NameEnvironment): void =>
  withRootLocks(root, environment, () => undefined);

function withRootLocks<T>(root: string, { disk, clock }: NameEnvironment, work: (locks: Locks) => T): T {
  const { teams, tokens } = rootPaths(root);
  // A lock that was copied with the project is no lock here.
  const locks = new Locks(tokens, { disk, clock, folder: folderAt(disk, teams), isOurs: true });
  try {
    locks.sweep([teams]);
    return work(locks);
  } finally {
    giveBack(disk, tokens, locks);
  }
}

/** What was done in the lock is done, also if the token stays: the next sweep after this process removes it. */
function giveBack(disk: Disk, tokens: string, locks: Locks): void {
  try {
    if (lookAt(disk, tokens)) locks.close();
  } catch {
    // As above.
  }
}
