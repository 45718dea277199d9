/** A team's folder that is a copy: its leases and process records name living processes of the original. */
import { LEAD } from '../../model/text/names.ts';
import type { Disk } from '../files/disk.ts';
import { folderAt, isElsewhere } from '../files/folder-of.ts';
import type { TeamPaths } from '../files/paths.ts';
import { livenessOf } from '../../os/process-table.ts';
import { recordedOwner } from './lease.ts';
import { livenessIn, Roster } from './roster.ts';

/**
 * Where the original is, or was; undefined if no process of another folder is recorded as living. If the team has a
 * lead of its own, nothing else is read.
 */
export function originalOf(disk: Disk, paths: TeamPaths): string | undefined {
  const owner = recordedOwner(disk, paths, LEAD);
  if (owner) {
    if (!isElsewhere(owner, folderAt(disk, paths.folder))) return undefined;
    if (livenessOf(owner) !== 'dead') return owner.folder?.path;
  }
  const living = new Roster(disk, paths).elsewhere().find((record) => livenessIn(record) !== 'dead');
  return living?.folder?.path;
}
