/** Clearing the archive: teams, and reports without a team, that were put away long ago. */
import { removeTree } from './create-store.ts';
import { realDisk, type Disk } from '../files/disk.ts';
import { listArchived, type ListedTeam } from './team-list.ts';

/** What was put away before a time, in milliseconds. */
export const archivedBefore = (root: string, time: number, disk: Disk = realDisk): ListedTeam[] =>
  listArchived(root, disk).filter(({ archivedAt }) => archivedAt !== undefined && Date.parse(archivedAt) < time);

/** Removes what is archived for good; an active one is never touched. */
export function removeArchived(teams: readonly ListedTeam[], disk: Disk = realDisk): void {
  for (const { archivedAt, paths } of teams) if (archivedAt !== undefined) removeTree(disk, paths.folder);
}
