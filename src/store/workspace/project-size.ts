/** How large a project is, and how much space its disk has. */
import { lstatSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { onDisk } from '../files/disk.ts';

/** @param paths relative to the directory; only files count, and one that is gone counts nothing */
export const sizeOfFiles = (directory: string, paths: Iterable<string>): number =>
  onDisk('look at', directory, () => {
    let sum = 0;
    for (const path of new Set(paths)) {
      const file = lstatSync(join(directory, path), { throwIfNoEntry: false });
      if (file?.isFile() === true) sum += file.size;
    }
    return sum;
  });

export const freeBytesAt = (directory: string): number =>
  onDisk('look at', directory, () => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  });
