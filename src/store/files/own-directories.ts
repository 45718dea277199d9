/**
 * The directories of a team. They are checked once by each process that opens it. `O_NOFOLLOW` guards only the last part of a
 * path: a link in the place of `logs/` or `.tasks/` would lead writes out of the root.
 */
import { StoreError } from '../../model/text/errors.ts';
import { lookAt, type Disk } from './disk.ts';
import { rootPaths, type TeamPaths } from './paths.ts';

/** Every directory of a team in which a killed process may leave a lock or a temporary file. */
export function sweptDirectories(paths: TeamPaths): string[] {
  const { folder, board, processes, locks, results, blobs, homes, mail, session } = paths;
  return [folder, board, processes, locks, results, blobs, homes, mail, ...Object.values(session)];
}

/** @throws StoreError `CORRUPT` naming the path that is not a directory; a missing one is fine */
export function requireDirectories(disk: Disk, paths: TeamPaths): void {
  const { teams, tasks, archive } = rootPaths(paths.root);
  const { folder, board, tokens, locks, processes, logs, results, blobs, homes, mail, session } = paths;
  const own = [folder, board, tokens, locks, processes, logs, results, blobs, homes, mail, ...Object.values(session)];
  for (const path of [teams, tasks, archive, ...own])
    if (lookAt(disk, path)?.isDirectory() === false)
      throw new StoreError('CORRUPT', `${path} is not a directory and was not made by teams; remove it.`, { path });
}
