/** Temporary directories of a test: made here, looked through by `leftovers.ts`, removed when the test has ended. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/**
 * A fresh, empty directory for the running test, as a real path. It goes when the test ends; nobody need remove it.
 * For use inside a test or `beforeEach`: one made in `beforeAll` would go with the first test.
 */
export function tempDir(): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'teams-test-'));
  made.push(path);
  return path;
}

/** The directories made and not yet removed. */
export const tempDirs = (): readonly string[] => made;

/** Removes them all. A process that is just ending may still write, so a directory that fills again is tried again. */
export function removeTempDirs(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
}
