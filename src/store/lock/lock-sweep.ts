/**
 * Removes what dead processes left: their locks, guards, temporary files and tokens. A guard `L~X` is removed only when
 * its holder is dead, X is dead, and no lock or guard is held by X any more: removed earlier, it could make two owners.
 */
import { basename, join } from 'node:path';
import { list, removeFile, type Disk } from '../files/disk.ts';
import { lockStateOf } from './lock-state.ts';
import type { Liveness } from '../../os/process-table.ts';
import { sweepTemps } from '../files/temp-files.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';

const LOCK_OR_GUARD = /\.lock(~[0-9a-f]+)*$/;
/** How a guard names a foreign writer's empty lock: its inode and mtime, sixteen digits each. */
const FOREIGN = /^[0-9a-f]{32}$/;

/**
 * @param free takes a dead holder's lock over and releases it; it is also asked about empty locks, and judges those
 *   itself
 */
export function sweepLocks(
  disk: Disk,
  tokens: string,
  directories: readonly string[],
  alive: (who: ProcessIdentity) => Liveness,
  free: (lock: string) => void,
): void {
  const isDead = (path: string): boolean => {
    const snapshot = lockStateOf(disk, path);
    return snapshot.kind === 'held' && alive(snapshot.by) === 'dead';
  };
  for (const lock of locksIn(disk, directories)) if (!isGuard(lock) && (isDead(lock) || isTorn(disk, lock))) free(lock);
  // First judge who is dead: a dead process that holds nothing after that will never hold anything again.
  const { dead, others } = judgedTokens(disk, tokens, alive);
  const holders = (): Set<string> => new Set(locksIn(disk, directories).flatMap((path) => holderOf(disk, path) ?? []));
  // Sorted: a guard is removed before the guards of its breakers, because it may be the last to need them.
  for (const path of locksIn(disk, directories).filter(isGuard))
    if ((isDead(path) || isTorn(disk, path)) && isNeedless(disk, path, others, holders())) removeFile(disk, path);
  for (const directory of directories) sweepTemps(disk, directory, alive);
  removeTokens(disk, tokens, dead, holders());
}

const isGuard = (path: string): boolean => basename(path).includes('~');

const locksIn = (disk: Disk, directories: readonly string[]): string[] =>
  directories.flatMap((directory) =>
    list(disk, directory).flatMap((file) => (LOCK_OR_GUARD.test(file) ? [join(directory, file)] : [])),
  );

function holderOf(disk: Disk, path: string): string | undefined {
  const snapshot = lockStateOf(disk, path);
  return snapshot.kind === 'held' ? snapshot.by.nonce : undefined;
}

/**
 * What a power loss left of a lock or a guard. Such a guard has no holder, because only our own program makes guards; a
 * lock may be a foreign writer's.
 */
const isTorn = (disk: Disk, path: string): boolean => lockStateOf(disk, path).kind === 'empty';

/**
 * Whether the guard can never be needed again: what it guards against is dead and holds nothing. An X without a token
 * was found dead by an earlier sweep, or has finished with its locks.
 */
function isNeedless(disk: Disk, guard: string, others: ReadonlySet<string>, held: ReadonlySet<string>): boolean {
  const at = guard.lastIndexOf('~');
  const from = guard.slice(at + 1);
  if (!FOREIGN.test(from)) return !others.has(from) && !held.has(from);
  return lockStateOf(disk, guard.slice(0, at)).kind !== 'empty';
}

const nonceOf = (file: string): string => file.slice(file.indexOf('-') + 1);

/** The nonces of the dead, and of all others with a token, including an incomplete one. */
function judgedTokens(disk: Disk, tokens: string, alive: (who: ProcessIdentity) => Liveness) {
  const dead = new Set<string>();
  const others = new Set<string>();
  for (const file of list(disk, tokens)) {
    const snapshot = lockStateOf(disk, join(tokens, file));
    const isDead = snapshot.kind === 'held' && alive(snapshot.by) === 'dead';
    (isDead ? dead : others).add(nonceOf(file));
  }
  return { dead, others };
}

/** Any process may remove an incomplete token: if its maker lives, it makes a new one. */
function removeTokens(disk: Disk, tokens: string, dead: ReadonlySet<string>, held: ReadonlySet<string>): void {
  for (const file of list(disk, tokens)) {
    const path = join(tokens, file);
    const isHalf = lockStateOf(disk, path).kind !== 'held';
    const nonce = nonceOf(file);
    if (isHalf || (dead.has(nonce) && !held.has(nonce))) removeFile(disk, path);
  }
}
