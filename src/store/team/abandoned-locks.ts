/**
 * Locks of a team without a living holder, for a person to see and to break. A lock of a living process is never
 * broken.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { list, realDisk } from '../files/disk.ts';
import { clearAway } from '../files/file.ts';
import { FOREIGN_LOCK_MS } from '../lock/foreign-locks.ts';
import { lockStateOf } from '../lock/lock-state.ts';
import { rootPaths, type TeamPaths } from '../files/paths.ts';
import { livenessOf } from '../../os/process-table.ts';
import { keyPath } from '../user/seal.ts';

interface LeftLock {
  readonly path: string;
  readonly what: string;
}

/** Files that are locks by their name. A member's lease is a directory called `<name>.lock` and is not one of them. */
const LOCK = /(?:_inbox|^config|^state|^events|\.lease)\.lock$/;
const ANY_LOCK = /\.lock$/;

export function leftLocks(paths: TeamPaths, now: number): LeftLock[] {
  const filesOf = (directory: string): string[] => list(realDisk, directory).map((file) => join(directory, file));
  const locks = [
    ...[paths.folder, paths.processes].flatMap(filesOf).filter((path) => LOCK.test(basename(path))),
    ...[paths.locks, ...sharedByTeams()].flatMap(filesOf).filter((path) => ANY_LOCK.test(path)),
    rootPaths(paths.root).nameLock(paths.name),
  ];
  return locks.flatMap((path) => judged(path, now) ?? []);
}

function judged(path: string, now: number): LeftLock | undefined {
  const snapshot = lockStateOf(realDisk, path);
  switch (snapshot.kind) {
    case 'free':
      return undefined;
    case 'held': {
      const life = livenessOf(snapshot.by);
      if (life === 'alive') return undefined;
      return {
        path,
        what:
          life === 'dead'
            ? `of pid ${snapshot.by.pid}, which is dead`
            : `of pid ${snapshot.by.pid}, which cannot be seen from here`,
      };
    }
    case 'empty':
      return now - snapshot.mtimeMs < FOREIGN_LOCK_MS
        ? undefined
        : { path, what: 'empty and old, of a foreign writer' };
    case 'garbage':
      return { path, what: snapshot.what };
    default:
      return snapshot satisfies never;
  }
}

/** Where all teams of the user lock the same files. */
const sharedByTeams = (): string[] => ['vendors', 'spending'].map((name) => join(dirname(keyPath()), name));

/** Removes what {@link leftLocks} found; a directory gets another name beside. */
export function breakLocks(locks: readonly LeftLock[]): void {
  for (const { path } of locks) clearAway(realDisk, path, randomBytes(6).toString('hex'));
}
