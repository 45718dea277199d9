/** Clears the archive: old teams, and old reports without a team. */
import { realDisk, type Disk } from '../files/disk.ts';
import { removeTree } from '../files/remove-tree.ts';
import { listArchived, type ListedTeam } from './team-list.ts';

/** Archived before a time, in milliseconds. */
export const archivedBefore = (root: string, time: number, disk: Disk = realDisk): ListedTeam[] =>
  listArchived(root, disk).filter(({ archivedAt }) => archivedAt !== undefined && Date.parse(archivedAt) < time);

/** Deletes archived entries for good; an active team is never touched. */
export function removeArchived(teams: readonly ListedTeam[], disk: Disk = realDisk): void {
  for (const { archivedAt, paths } of teams) if (archivedAt !== undefined) removeTree(disk, paths.folder);
}
