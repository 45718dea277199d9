/**
 * What the user trusts on this machine: project configurations, each a path with the exact text that was trusted, so that
 * a pull that changes the file takes the trust away; commands and documents of teams, by their mac; public keys.
 */
import { createHmac } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isPublicKey } from '../../model/text/public-key.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, list, lookAt, onDisk, realDisk, type Disk } from '../files/disk.ts';
import { createOnce } from '../files/file.ts';
import { keyPath } from './seal.ts';

const recordNamed = (name: string): string => join(dirname(keyPath()), 'trusted', name);

const recordOf = (path: string, text: string): string =>
  recordNamed(createHmac('sha256', path).update(text).digest('hex'));

export const isTrusted = (path: string, text: string, disk: Disk = realDisk): boolean =>
  lookAt(disk, recordOf(path, text)) !== undefined;

export const trustFile = (path: string, text: string, disk: Disk = realDisk): void =>
  keep(recordOf(path, text), path, disk);

/** Whether the user confirmed the commands or the document with this mac; only who has the user's key can know its name. */
export const isMacTrusted = (mac: string, disk: Disk): boolean => lookAt(disk, recordNamed(mac)) !== undefined;

export const trustMac = (mac: string, disk: Disk): void => keep(recordNamed(mac), 'a part of a team', disk);

/** A public key is its own name: `ed25519:` and characters of base64url. */
export const isKeyTrusted = (key: string, disk: Disk): boolean => lookAt(disk, recordNamed(key)) !== undefined;

/** @returns the file that says so: without it the key is not trusted any more */
export function trustKey(key: string, disk: Disk = realDisk): string {
  const record = recordNamed(key);
  keep(record, 'a public key', disk);
  return record;
}

/** The public keys that the user trusts on this machine. */
export const trustedKeys = (disk: Disk = realDisk): string[] =>
  lookAt(disk, recordNamed('.')) === undefined ? [] : list(disk, recordNamed('.')).filter(isPublicKey).sort();

function keep(record: string, what: string, disk: Disk): void {
  const directory = dirname(record);
  onDisk('create the directory', directory, () => makeDirectoryPath(directory, DIRECTORY_MODE, disk));
  createOnce(disk, record, `${what}\n`, String(process.pid));
}
