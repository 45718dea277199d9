/** Clears the archive: old teams, and old reports without a team. */
import { basename, dirname, join } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { isMissing, list, realDisk, storeFailure, type Disk } from '../files/disk.ts';
import { rootPaths } from '../files/paths.ts';
import { removeTree } from '../files/remove-tree.ts';
import { listArchived, type ListedTeam } from './team-list.ts';

/** Archived before a time, in milliseconds. */
export const archivedBefore = (root: string, time: number): ListedTeam[] =>
  listArchived(root).filter(({ archivedAt }) => archivedAt !== undefined && Date.parse(archivedAt) < time);

/** A folder that is being removed: a team that is half there is not listed as one. */
const REMOVED = '.removed-';

/**
 * Deletes archived entries for good; an active team is never touched.
 * @returns what could not be removed, and why
 */
export const removeArchived = (teams: readonly ListedTeam[], disk: Disk = realDisk): string[] =>
  teams.flatMap(({ archivedAt, paths }) => (archivedAt === undefined ? [] : attempt(() => remove(paths.folder, disk))));

function remove(folder: string, disk: Disk): void {
  const aside = join(dirname(folder), `${REMOVED}${basename(folder)}`);
  try {
    disk.renameSync(folder, aside);
  } catch (error) {
    // Another process removes it.
    if (isMissing(error)) return;
    throw storeFailure('remove', folder, error);
  }
  removeTree(disk, aside);
}

/**
 * Finishes removals that were killed, or failed.
 * @returns what could not be removed, and why
 */
export function finishRemovals(root: string): string[] {
  const { archive } = rootPaths(root);
  const begun = list(realDisk, archive).filter((file) => file.startsWith(REMOVED));
  return begun.flatMap((file) => attempt(() => removeTree(realDisk, join(archive, file))));
}

function attempt(removal: () => void): string[] {
  try {
    removal();
    return [];
  } catch (error) {
    if (isTeamError(error)) return [error.message];
    throw error;
  }
}
