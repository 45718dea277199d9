/** The directory of a team's own locks. A team of the version before has none. */
import { dirname } from 'node:path';
import { lookAt, type Disk } from '../files/disk.ts';
import { makeDirectory } from '../files/file.ts';
import type { PinnedDirectory } from '../files/pinned.ts';

/** Makes the directory of a lock where it is missing, but never the team's folder around it. */
export function makeRoomFor(disk: Disk, lock: string, pinned: PinnedDirectory | undefined): void {
  const directory = dirname(lock);
  if (lookAt(disk, directory)) return;
  pinned?.check();
  makeDirectory(disk, directory);
}
