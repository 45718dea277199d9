/**
 * What is left of a team when a person removed its board (`rm -rf .tasks`) or a crash did: a folder with mail, logs and
 * results, which blocks the team's name.
 */
import { join } from 'node:path';
import { ConflictError, StoreError } from '../../model/text/errors.ts';
import { isName, LEAD, type Name } from '../../model/text/names.ts';
import { livenessOf } from '../../os/process-table.ts';
import { realClock } from '../../os/system-clock.ts';
import { isElsewhere } from '../files/folder-of.ts';
import { list, lookAt, realDisk, type Disk } from '../files/disk.ts';
import { pinDirectory, type PinnedDirectory } from '../files/pinned.ts';
import { rootPaths, teamPaths, type TeamPaths } from '../files/paths.ts';
import { leaseOwner } from './lease.ts';
import { withName } from './name-lock.ts';
import { findActive, putAway } from './team-list.ts';

/** Folders of teams without a board, by name. */
export const listRemains = (root: string): TeamPaths[] =>
  list(realDisk, rootPaths(root).teams).flatMap((file) => (isName(file) ? (remainsOf(root, file) ?? []) : []));

/** The folder of that team, if its board is missing. */
export function remainsOf(root: string, name: Name, disk: Disk = realDisk): TeamPaths | undefined {
  const paths = teamPaths(root, name);
  if (lookAt(disk, paths.folder)?.isDirectory() !== true || findActive(root, name, disk) !== undefined)
    return undefined;
  const isTeams = [paths.config, paths.events, paths.processes].some((path) => lookAt(disk, path) !== undefined);
  return isTeams && lookAt(disk, join(paths.folder, 'tasks')) === undefined ? paths : undefined;
}

/**
 * Moves remains into the archive.
 * @throws ConflictError `STILL_RUNNING` while a process leads there, `LOCK_TIMEOUT`; StoreError `TEAM_GONE` when another
 *   process archived or replaced the folder
 */
export function archiveRemains(paths: TeamPaths, stamp: string, disk: Disk = realDisk): TeamPaths {
  return withName(paths.root, paths.name, { disk, clock: realClock }, () => {
    const pinned = pinDirectory(disk, paths.folder);
    try {
      if (remainsOf(paths.root, paths.name, disk) === undefined)
        throw new StoreError('TEAM_GONE', `Another process archived or replaced what was left of team ${paths.name}.`, {
          path: paths.folder,
        });
      refuseLed(disk, paths, pinned);
      return putAway(disk, paths, stamp, pinned);
    } finally {
      pinned.close();
    }
  });
}

function refuseLed(disk: Disk, paths: TeamPaths, { identity }: PinnedDirectory): void {
  const owner = leaseOwner(disk, paths, LEAD);
  if (owner?.where !== 'here' || isElsewhere(owner, identity) || livenessOf(owner) !== 'alive') return;
  throw new ConflictError(
    'STILL_RUNNING',
    `The lead of team ${paths.name} (pid ${owner.pid}) still runs although its board is gone; end it, then ask again.`,
  );
}
