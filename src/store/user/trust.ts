/**
 * What the user trusts on this machine: project configurations, each a path with the exact text that was trusted, so that
 * a pull that changes the file takes the trust away; commands and documents of teams, by their mac; public keys.
 */
import { createHmac } from 'node:crypto';
import { dirname, join } from 'node:path';
import { StoreError } from '../../model/text/errors.ts';
import { isPublicKey } from '../../model/text/public-key.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, list, lookAt, onDisk, realDisk, type Disk } from '../files/disk.ts';
import { createOnce } from '../files/file.ts';
import { isWrittenByOthers, keyPath } from './seal.ts';

const trustedFolder = (): string => join(dirname(keyPath()), 'trusted');
const recordNamed = (name: string): string => join(trustedFolder(), name);

const recordOf = (path: string, text: string): string =>
  recordNamed(createHmac('sha256', path).update(text).digest('hex'));

export const isTrusted = (path: string, text: string, disk: Disk = realDisk): boolean =>
  isKept(recordOf(path, text), disk);

export const trustFile = (path: string, text: string): void => keep(recordOf(path, text), path, realDisk);

/** Whether the user confirmed the commands or the document with this mac; only who has the user's key can know its name. */
export const isMacTrusted = (mac: string, disk: Disk): boolean => isKept(recordNamed(mac), disk);

export const trustMac = (mac: string, disk: Disk): void => keep(recordNamed(mac), 'a part of a team', disk);

/** A public key is its own name: `ed25519:` and characters of base64url. */
export const isKeyTrusted = (key: string, disk: Disk): boolean => isKept(recordNamed(key), disk);

/** @returns the file that says so: without it the key is not trusted any more */
export function trustKey(key: string): string {
  const record = recordNamed(key);
  keep(record, 'a public key', realDisk);
  return record;
}

/** The public keys that the user trusts on this machine. */
export const trustedKeys = (): string[] =>
  lookAt(realDisk, trustedFolder()) === undefined || openFolder(realDisk) !== undefined
    ? []
    : list(realDisk, trustedFolder()).filter(isPublicKey).sort();

/** Where other users may write, a record says nothing. */
const openFolder = (disk: Disk): string | undefined =>
  [dirname(trustedFolder()), trustedFolder()].find((folder) => isWrittenByOthers(disk, folder));

const isKept = (record: string, disk: Disk): boolean =>
  lookAt(disk, record) !== undefined && openFolder(disk) === undefined;

/** @throws StoreError `UNTRUSTED` where other users may write */
function keep(record: string, what: string, disk: Disk): void {
  const directory = dirname(record);
  onDisk('create the directory', directory, () => makeDirectoryPath(directory, DIRECTORY_MODE, disk));
  const open = openFolder(disk);
  if (open !== undefined)
    throw new StoreError(
      'UNTRUSTED',
      `Other users of this machine may write in ${open}, so nothing that it says is trusted: \`chmod go-w ${open}\`, and remove what is there if one may have written it.`,
      { path: open },
    );
  createOnce(disk, record, `${what}\n`, String(process.pid));
}
