/**
 * Which project configurations the user trusts: a path with the exact text that was trusted. A pull that changes the
 * file takes the trust away.
 */
import { createHmac } from 'node:crypto';
import { dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, lookAt, onDisk, realDisk, type Disk } from '../files/disk.ts';
import { createOnce } from '../files/file.ts';
import { keyPath } from './seal.ts';

const recordNamed = (name: string): string => join(dirname(keyPath()), 'trusted', name);

const recordOf = (path: string, text: string): string =>
  recordNamed(createHmac('sha256', path).update(text).digest('hex'));

export const isTrusted = (path: string, text: string, disk: Disk = realDisk): boolean =>
  lookAt(disk, recordOf(path, text)) !== undefined;

export const trustFile = (path: string, text: string, disk: Disk = realDisk): void =>
  keep(recordOf(path, text), path, disk);

/** Whether the user confirmed the commands with this mac; only who has the user's key can know its name. */
export const isMacTrusted = (mac: string, disk: Disk): boolean => lookAt(disk, recordNamed(mac)) !== undefined;

export const trustMac = (mac: string, disk: Disk): void => keep(recordNamed(mac), 'commands of a team', disk);

function keep(record: string, what: string, disk: Disk): void {
  const directory = dirname(record);
  onDisk('create the directory', directory, () => makeDirectoryPath(directory, DIRECTORY_MODE, disk));
  createOnce(disk, record, `${what}\n`, String(process.pid));
}
