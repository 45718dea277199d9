/** What a task had to make or change: whether it exists, and which of its files changed since. */
import { resolve } from 'node:path';
import { lookAt, type Disk } from '../files/disk.ts';

const GLOB = /[*?[\]{}!()]/;

/**
 * @param path where the artifact lies
 * @param artifact as its task names it
 * @returns why it does not count; undefined when it exists and is not empty
 */
export function missingArtifact(disk: Disk, path: string, artifact: string): string | undefined {
  const stat = lookAt(disk, path);
  if (stat === undefined) return `${artifact} was not made`;
  return stat.isFile() && stat.size === 0 ? `${artifact} is empty` : undefined;
}

/** File times come from a clock that moves in steps: up to 10 ms behind the clock that we read (measured: 6). */
const GRAIN_MS = 20;

/**
 * The paths that a task declared whose file changed since a moment. Patterns are left out: the comparison with the
 * baseline covers what they match.
 *
 * @param since wall time in milliseconds
 */
export const touchedSince = (disk: Disk, cwd: string, paths: readonly string[], since: number): string[] =>
  paths.filter((path) => !GLOB.test(path) && (lookAt(disk, resolve(cwd, path))?.mtimeMs ?? 0) >= since - GRAIN_MS);
