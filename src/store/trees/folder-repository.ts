/**
 * The repository behind a folder without git whose teams have trees: it lies in `.teams`, and all that is said of a
 * project's repository holds for it. Its configuration is ours, as that of a team's own repository.
 */
import { join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, lookAt, type Disk } from '../files/disk.ts';
import { rootPaths } from '../files/paths.ts';
import { makeRepository } from './vault.ts';

/** Relative to the folder. */
const PLACE = '.teams/.files.git';

export const isFolderRepository = (directory: string): boolean => directory === PLACE;

export const folderRepository = (folder: string): string => join(folder, PLACE);

export const hasFolderRepository = (disk: Disk, folder: string): boolean =>
  lookAt(disk, join(folderRepository(folder), 'HEAD')) !== undefined;

/** Makes one, unless it is there. */
export function makeFolderRepository(disk: Disk, folder: string, now: number): void {
  if (hasFolderRepository(disk, folder)) return;
  makeDirectoryPath(rootPaths(folder).teams, DIRECTORY_MODE);
  makeRepository(folderRepository(folder), { format: 'sha1', settings: [], exclude: '' }, now);
}
