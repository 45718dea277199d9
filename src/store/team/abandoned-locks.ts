/**
 * Locks of a team without a living holder, for a person to see and to break. A lock of a living process is never
 * broken.
 */
import { basename, join } from 'node:path';
import { list, onDisk, realDisk, removeFile, type Disk } from '../files/disk.ts';
import { FOREIGN_LOCK_MS } from '../lock/foreign-locks.ts';
import { lockStateOf } from '../lock/lock-state.ts';
import { rootPaths, type TeamPaths } from '../files/paths.ts';
import { livenessOf } from '../../os/process-table.ts';

interface LeftLock {
  readonly path: string;
  readonly what: string;
  readonly isDirectory: boolean;
}

/** Files that are locks by their name. A member's lease is a directory called `<name>.lock` and is not one of them. */
const LOCK = /(?:_inbox|^config|^state|^events|\.lease)\.lock$/;
const ANY_LOCK = /\.lock$/;

export function leftLocks(paths: TeamPaths, now: number, disk: Disk = realDisk): LeftLock[] {
  const filesOf = (directory: string): string[] => list(disk, directory).map((file) => join(directory, file));
  const locks = [
    ...[paths.folder, paths.processes].flatMap(filesOf).filter((path) => LOCK.test(basename(path))),
    ...filesOf(paths.locks).filter((path) => ANY_LOCK.test(path)),
    rootPaths(paths.root).nameLock(paths.name),
  ];
  return locks.flatMap((path) => judged(disk, path, now) ?? []);
}

function judged(disk: Disk, path: string, now: number): LeftLock | undefined {
  const snapshot = lockStateOf(disk, path);
  switch (snapshot.kind) {
    case 'free':
      return undefined;
    case 'held': {
      const life = livenessOf(snapshot.by);
      if (life === 'alive') return undefined;
      return {
        path,
        isDirectory: false,
        what:
          life === 'dead'
            ? `of pid ${snapshot.by.pid}, which is dead`
            : `of pid ${snapshot.by.pid}, which cannot be seen from here`,
      };
    }
    case 'empty':
      return now - snapshot.mtimeMs < FOREIGN_LOCK_MS
        ? undefined
        : { path, isDirectory: false, what: 'empty and old, of a foreign writer' };
    case 'garbage':
      return { path, isDirectory: snapshot.what === 'a directory', what: snapshot.what };
    default:
      return snapshot satisfies never;
  }
}

/** Removes what {@link leftLocks} found. */
export function breakLocks(locks: readonly LeftLock[], disk: Disk = realDisk): void {
  for (const { path, isDirectory } of locks)
    if (isDirectory) onDisk('remove', path, () => disk.rmdirSync(path));
    else removeFile(disk, path);
}
