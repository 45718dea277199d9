/** The identity of a directory, and which records belong to it (`model/team/folder-identity.ts`). */
import type { Stats } from 'node:fs';
import { isSameFolder, type FolderIdentity } from '../../model/team/folder-identity.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { lookAt, type Disk } from './disk.ts';

/** Without `statx` the system reports the time of the last change as the time of birth: such a time is left out. */
export function folderIn(path: string, { dev, ino, birthtimeMs, ctimeMs }: Stats): FolderIdentity {
  const isKnown = Number.isFinite(birthtimeMs) && birthtimeMs > 0 && birthtimeMs !== ctimeMs;
  return isKnown ? { path, dev, ino, born: birthtimeMs } : { path, dev, ino };
}

/** @returns undefined if there is no directory */
export function folderAt(disk: Disk, path: string): FolderIdentity | undefined {
  const stat = lookAt(disk, path);
  return stat?.isDirectory() === true ? folderIn(path, stat) : undefined;
}

interface Placed {
  readonly bootId?: string | undefined;
  readonly folder?: FolderIdentity | undefined;
}

/**
 * Whether a record names another folder than this one: then its process serves that one, and is no owner here. The
 * numbers of devices and inodes count within one boot only; a process of another boot is dead anyway.
 */
export const isElsewhere = ({ bootId, folder }: Placed, here: FolderIdentity | undefined): boolean =>
  folder !== undefined && here !== undefined && bootId === ownIdentity().bootId && !isSameFolder(folder, here);
