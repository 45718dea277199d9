/** Wrong locks, each with one error that real programs have. */
import { isTaken, list, lookAt, removeFile, type Disk } from '../../../../src/store/files/disk.ts';
import { Locks } from '../../../../src/store/lock/lock.ts';
import { lockStateOf } from '../../../../src/store/lock/lock-state.ts';
import { OwnToken } from '../../../../src/store/lock/token.ts';
import type { LockerOf } from '../scenarios/lock.ts';
import { over } from './over.ts';

const STALE_MS = 1_000;

/** A directory as the lock; one older than the limit is removed and created again. */
export const properLockfile: LockerOf = ({ disk, clock }) => ({
  tryLock(path, work) {
    if (!madeDirectory(disk, path)) {
      const made = lookAt(disk, path)?.mtimeMs ?? 0;
      if (clock.now() - made < STALE_MS) return { done: false };
      removeDirectory(disk, path);
      if (!madeDirectory(disk, path)) return { done: false };
    }
    work();
    removeDirectory(disk, path);
    return { done: true };
  },
  sweep: () => {},
  close: () => {},
});

function madeDirectory(disk: Disk, path: string): boolean {
  try {
    disk.mkdirSync(path);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

function removeDirectory(disk: Disk, path: string): void {
  if (lookAt(disk, path)) disk.rmdirSync(path);
}

/** The lock of a dead holder is unlinked, and linked again. */
export const judgedThenUnlinked: LockerOf = ({ disk, lockEnvironment: { identity, alive } }, tokens) => {
  if (!identity || !alive) throw new Error('a simulated process knows who it is');
  const token = new OwnToken(disk, tokens, identity);
  return {
    tryLock(path, work) {
      if (token.link(path) === undefined) {
        const snapshot = lockStateOf(disk, path);
        if (snapshot.kind !== 'held' || alive(snapshot.by) !== 'dead') return { done: false };
        removeFile(disk, path);
        if (token.link(path) === undefined) return { done: false };
      }
      work();
      removeFile(disk, path);
      return { done: true };
    },
    sweep: () => {},
    close: () => token.remove(),
  };
};

/** A guard is removed when its holder is dead, whatever other process uses it. */
export const guardSweptNaively: LockerOf = ({ disk, lockEnvironment }, tokens) => {
  const locks = new Locks(tokens, lockEnvironment);
  const isDead = (path: string): boolean => {
    const snapshot = lockStateOf(disk, path);
    return snapshot.kind === 'held' && lockEnvironment.alive?.(snapshot.by) === 'dead';
  };
  return {
    tryLock: (path, work) => locks.tryLock(path, work),
    sweep(directories) {
      for (const directory of directories)
        for (const file of list(disk, directory))
          if (file.includes('~') && isDead(`${directory}/${file}`)) removeFile(disk, `${directory}/${file}`);
      locks.sweep(directories);
    },
    close: () => locks.close(),
  };
};

/** The breaker renames its token itself to the lock's name, not a link of its own to it. */
export const tokenConsumed: LockerOf = ({ disk, lockEnvironment }, tokens) => {
  let token = '';
  const linkSync = (from: string, to: string): void => {
    if (to.endsWith('.tmp')) token = from;
    else disk.linkSync(from, to);
  };
  const renameSync = (from: string, to: string): void => disk.renameSync(from.endsWith('.tmp') ? token : from, to);
  return new Locks(tokens, { ...lockEnvironment, disk: over(disk, { linkSync, renameSync } as Partial<Disk>) });
};
