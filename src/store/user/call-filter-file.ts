/** The file from which bubblewrap reads the filter of system calls: in the user's own state directory, by its content. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, FILE_MODE, isMissing, onDisk } from '../files/disk.ts';
import { keyPath } from './seal.ts';

/**
 * @param bytes the filter
 * @returns its path; it is written if it is missing, or is not this filter
 */
export function keepCallFilter(environment: Parameters<typeof keyPath>[0], bytes: Uint8Array): string {
  const folder = dirname(keyPath(environment));
  const path = join(folder, `calls-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`);
  if (contentOf(path)?.equals(bytes) === true) return path;
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  onDisk('write', path, () => {
    makeDirectoryPath(folder, DIRECTORY_MODE);
    try {
      writeFileSync(fresh, bytes, { mode: FILE_MODE, flag: 'wx' });
      renameSync(fresh, path);
    } finally {
      rmSync(fresh, { force: true });
    }
  });
  return path;
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
