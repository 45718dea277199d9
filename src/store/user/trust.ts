/**
 * Which project configurations the user trusts: a path with the exact text that was trusted. A pull that changes the
 * file takes the trust away.
 */
import { createHmac } from 'node:crypto';
import { dirname, join } from 'node:path';
import { DIRECTORY_MODE, lookAt, onDisk, realDisk, type Disk } from '../files/disk.ts';
import { createOnce } from '../files/file.ts';
import { keyPath } from './seal.ts';

const recordOf = (path: string, text: string): string =>
  join(dirname(keyPath()), 'trusted', createHmac('sha256', path).update(text).digest('hex'));

export const isTrusted = (path: string, text: string, disk: Disk = realDisk): boolean =>
  lookAt(disk, recordOf(path, text)) !== undefined;

export function trustFile(path: string, text: string, disk: Disk = realDisk): void {
  const record = recordOf(path, text);
  const directory = dirname(record);
  onDisk('create the directory', directory, () => disk.mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE }));
  createOnce(disk, record, `${path}\n`, String(process.pid));
}
