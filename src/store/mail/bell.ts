/**
 * The bell `<name>_inbox.bell` wakes the reader of an inbox: made when a member joins, removed first when it leaves,
 * never renamed. To ring is to write one byte; where none hangs, there is no such member.
 */
import { StoreError } from '../../model/text/errors.ts';
import { openIfThere, openOurs, using } from '../files/file.ts';
import { lookAt, O_CREAT, O_WRONLY, removeFile, type Disk } from '../files/disk.ts';

const BYTE = Buffer.from('!');

export const createBell = (disk: Disk, path: string): void =>
  using(disk, openOurs(disk, path, O_WRONLY | O_CREAT), () => {});

export const removeBell = (disk: Disk, path: string): void => removeFile(disk, path);

/**
 * Whether a bell hangs there: whether there is such a member.
 *
 * @throws StoreError `CORRUPT` when something else does
 */
export function hasBell(disk: Disk, path: string): boolean {
  const stat = lookAt(disk, path);
  if (stat === undefined || stat.isFile()) return stat !== undefined;
  throw new StoreError('CORRUPT', `${path} is no regular file; somebody put it there. Remove it.`, { path });
}

/**
 * Rings, if there is a bell. One that cannot be rung, on a full disk say, fails nothing: its reader looks again every
 * second.
 *
 * @returns whether it rang
 */
export function ringBell(disk: Disk, path: string): boolean {
  try {
    const fd = openIfThere(disk, path, O_WRONLY);
    if (fd === undefined) return false;
    using(disk, fd, () => disk.writeSync(fd, BYTE, 0, 1, 0));
    return true;
  } catch {
    // As above: what was sent is sent, and is only found a little later.
    return false;
  }
}
