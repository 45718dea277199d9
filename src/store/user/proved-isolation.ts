/**
 * That isolation has worked for this user since the machine started. What fails later may be made to fail: a member can
 * use up what each start of it needs, such as namespaces and processes. So nothing runs with more rights for that.
 */
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { DIRECTORY_MODE, onDisk, realDisk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import { keyPath } from './seal.ts';

type Environment = Parameters<typeof keyPath>[0];

const MOST_BYTES = 4096;

const recordPath = (environment: Environment): string => join(dirname(keyPath(environment)), 'isolated');

/** A container that shares the user's home is another place, where it may never have worked. */
const placeNow = (): string =>
  `${[ownIdentity().bootId, ...['user', 'mnt'].map((kind) => readlinkSync(`/proc/self/ns/${kind}`))].join(' ')}\n`;

/** Call it when a probe has held. */
export function noteProved(environment: Environment): void {
  const path = recordPath(environment);
  try {
    const now = placeNow();
    if (readText(realDisk, path, MOST_BYTES) === now) return;
    const folder = dirname(path);
    onDisk('create the directory', folder, () => makeDirectoryPath(folder, DIRECTORY_MODE));
    replaceFile(realDisk, path, now, randomBytes(4).toString('hex'), { durable: false });
  } catch (error) {
    // Without a record it counts as not known, as before.
    if (!isTeamError(error)) throw error;
  }
}

/** Whether a probe has held here since the machine started. */
export function wasProved(environment: Environment): boolean {
  try {
    return readText(realDisk, recordPath(environment), MOST_BYTES) === placeNow();
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return false;
  }
}
