/**
 * The bell `<name>_inbox.bell` wakes the reader of an inbox. It is created when a member joins, removed first when the
 * member leaves, and never renamed. Writing one byte rings it. If there is no bell, there is no such member.
 */
import { StoreError } from '../../model/text/errors.ts';
import { openIfThere, openOurs, using } from '../files/file.ts';
import { lookAt, O_CREAT, O_WRONLY, removeFile, type Disk } from '../files/disk.ts';

const BYTE = Buffer.from('!');

export const createBell = (disk: Disk, path: string): void =>
  using(disk, openOurs(disk, path, O_WRONLY | O_CREAT), () => {});

export const removeBell = (disk: Disk, path: string): void => removeFile(disk, path);

/**
 * Whether there is a bell, and so a member.
 *
 * @throws StoreError `CORRUPT` when something else has its name
 */
export function hasBell(disk: Disk, path: string): boolean {
  const stat = lookAt(disk, path);
  if (stat === undefined || stat.isFile()) return stat !== undefined;
  throw new StoreError('CORRUPT', `${path} is not a regular file and was not made by teams; remove it.`, { path });
}

/**
 * Rings the bell, if there is one. If it cannot be rung, on a full disk say, nothing fails: its reader looks again
 * every second.
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
    // As above: the message is sent, and is only found a little later.
    return false;
  }
}
