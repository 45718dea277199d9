/** Removes our own directories. Links are removed, never followed; what another process removes meanwhile is fine. */
import { join } from 'node:path';
import { codeOf } from '../../model/text/errors.ts';
import {
  DIRECTORY_MODE,
  isMissing,
  list,
  lookAt,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_RDONLY,
  removeFile,
  storeFailure,
  type Disk,
} from './disk.ts';

const WRITE_AND_SEARCH = 0o300;

/** Removes a file, or a directory with its contents, also what a program made read-only, as Go's module cache is. */
export function removeTree(disk: Disk, path: string): void {
  const stat = lookAt(disk, path);
  if (stat === undefined) return;
  if (!stat.isDirectory()) return removeFile(disk, path);
  if ((stat.mode & WRITE_AND_SEARCH) !== WRITE_AND_SEARCH) open(disk, path);
  for (const file of list(disk, path)) removeTree(disk, join(path, file));
  removeEmpty(disk, path);
}

/** By a descriptor, so that a link which stands there meanwhile is not followed. */
function open(disk: Disk, path: string): void {
  try {
    const descriptor = disk.openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      disk.fchmodSync(descriptor, DIRECTORY_MODE);
    } finally {
      disk.closeSync(descriptor);
    }
  } catch {
    // Another user's, or closed to us: what cannot be removed in it is then named.
  }
}

/** Removes an empty directory; one that has content, or is missing, stays as it is. */
export function removeEmpty(disk: Disk, path: string): void {
  try {
    disk.rmdirSync(path);
  } catch (error) {
    if (!isMissing(error) && codeOf(error) !== 'ENOTEMPTY') throw storeFailure('remove', path, error);
  }
}
