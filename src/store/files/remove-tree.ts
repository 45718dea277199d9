/** Removes our own directories. Links are removed, never followed; what another process removes meanwhile is fine. */
import { join } from 'node:path';
import { codeOf } from '../../model/text/errors.ts';
import { isMissing, list, lookAt, removeFile, storeFailure, type Disk } from './disk.ts';

/** Removes a file, or a directory with its contents. */
export function removeTree(disk: Disk, path: string): void {
  const stat = lookAt(disk, path);
  if (stat === undefined) return;
  if (!stat.isDirectory()) return removeFile(disk, path);
  for (const file of list(disk, path)) removeTree(disk, join(path, file));
  removeEmpty(disk, path);
}

/** Removes an empty directory; one that has content, or is missing, stays as it is. */
export function removeEmpty(disk: Disk, path: string): void {
  try {
    disk.rmdirSync(path);
  } catch (error) {
    if (!isMissing(error) && codeOf(error) !== 'ENOTEMPTY') throw storeFailure('remove', path, error);
  }
}
