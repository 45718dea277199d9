/** Temporary directories of a test: made here, checked by `leftovers.ts`, removed when the test has ended. */
import { accessSync, constants, mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/**
 * A new, empty directory for the running test, as a real path. It is removed when the test ends. For use inside a test
 * or `beforeEach`: one made in `beforeAll` would be removed with the first test.
 */
export function tempDir(base = realpathSync(tmpdir())): string {
  const path = mkdtempSync(join(base, 'teams-test-'));
  made.push(path);
  return path;
}

const MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
const ROOM = 2 ** 30;

/**
 * A file system in memory if there is one with space, otherwise the usual place. For tests that create thousands of
 * directories and need no durable bytes: removing them took two thirds of the time.
 */
export const inMemory = (): string => (hasMemory() ? MEMORY : realpathSync(tmpdir()));

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK | constants.X_OK);
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize > ROOM;
  } catch {
    return false; // There is none.
  }
}

/** The directories made and not yet removed. */
export const tempDirs = (): readonly string[] => made;

/** Removes them all. A process that is just ending may still write, so a directory that fills again is tried again. */
export function removeTempDirs(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
