/** What a task was to make or change: whether it is there, and what of it was touched since. */
import { resolve } from 'node:path';
import { lookAt, type Disk } from '../files/disk.ts';

const GLOB = /[*?[\]{}!()]/;

/** @returns why the artifact does not count; undefined when it is there and not empty */
export function missingArtifact(disk: Disk, cwd: string, artifact: string): string | undefined {
  const stat = lookAt(disk, resolve(cwd, artifact));
  if (stat === undefined) return `${artifact} was not made`;
  return stat.isFile() && stat.size === 0 ? `${artifact} is empty` : undefined;
}

/** The system stamps files by a clock that moves in steps: up to 10 ms behind the one that we read (seen: 6). */
const GRAIN_MS = 20;

/**
 * Of the paths that a task declared, those whose file changed since a moment. Patterns are left out: what they match is
 * told by the comparison with the baseline.
 *
 * @param since wall time in milliseconds
 */
export const touchedSince = (disk: Disk, cwd: string, paths: readonly string[], since: number): string[] =>
  paths.filter((path) => !GLOB.test(path) && (lookAt(disk, resolve(cwd, path))?.mtimeMs ?? 0) >= since - GRAIN_MS);
