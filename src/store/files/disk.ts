/**
 * The file layer: the synchronous `node:fs` calls of the store, as an argument, so that a test can use a faulty or
 * simulated disk. It is also the only place where an errno becomes a `StoreError`.
 */
import * as fs from 'node:fs';
import { codeOf, isTeamError, StoreError, type StoreCode } from '../../model/text/errors.ts';
import { foreignHome, foreignOwner } from './owner.ts';

export type Disk = Pick<
  typeof fs,
  | 'openSync'
  | 'closeSync'
  | 'readSync'
  | 'writeSync'
  | 'fstatSync'
  | 'lstatSync'
  | 'fsyncSync'
  | 'fdatasyncSync'
  | 'ftruncateSync'
  | 'futimesSync'
  | 'linkSync'
  | 'renameSync'
  | 'unlinkSync'
  | 'mkdirSync'
  | 'rmdirSync'
  | 'readdirSync'
  | 'realpathSync'
  | 'chmodSync'
  | 'fchmodSync'
>;

export const realDisk: Disk = fs;

export const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } =
  fs.constants;

export const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;

const CODES: Record<string, StoreCode> = {
  ENOSPC: 'NO_SPACE',
  EDQUOT: 'NO_SPACE',
  EFBIG: 'NO_SPACE',
  EROFS: 'READ_ONLY',
  EACCES: 'READ_ONLY',
  EPERM: 'READ_ONLY',
  ELOOP: 'CORRUPT',
  ENXIO: 'CORRUPT',
  EISDIR: 'CORRUPT',
};

const CURES: Partial<Record<StoreCode, string>> = {
  NO_SPACE: 'free some space and try again',
  CORRUPT: 'it is not a regular file made by teams; remove it',
};

const ERRNO_CURES: Record<string, string> = {
  EFBIG: 'this process may write no larger file; raise the limit (`ulimit -f unlimited`)',
  EMFILE: 'this process may open no more files; raise the limit (`ulimit -n 1024`)',
  ENFILE: 'the system has too many open files; close some programs and try again',
};

/** What only looks at a file; everything else writes. */
const LOOKING = new Set(['read', 'list', 'look at']);

function cureOf(doing: string, path: string, errno: string, code: StoreCode): string | undefined {
  if (errno === 'EROFS') return 'its file system is mounted read-only; use --root with a directory that can be written';
  if (code !== 'READ_ONLY') return ERRNO_CURES[errno] ?? CURES[code];
  const home = foreignHome(path);
  if (home !== undefined) return home;
  const owner = foreignOwner(path);
  const what = `make it ${LOOKING.has(doing) ? 'readable' : 'writable'} for this user`;
  if (owner === undefined) return what;
  return `${owner.path === path ? 'it' : owner.path} belongs to ${owner.name}; ${what}`;
}

/** Turns a failed file call into one sentence with path and errno; one of our own errors passes unchanged. */
export function storeFailure(doing: string, path: string, error: unknown): Error {
  if (isTeamError(error)) return error;
  const errno = codeOf(error);
  if (errno === undefined) return error instanceof Error ? error : new Error(String(error));
  const code = CODES[errno] ?? 'IO';
  const cure = cureOf(doing, path, errno, code);
  return new StoreError(code, `Cannot ${doing} ${path} (${errno})${cure ? `: ${cure}.` : '.'}`, { path, cause: error });
}

/** Runs a file operation; every error it throws names the operation and its path. */
export function onDisk<T>(doing: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storeFailure(doing, path, error);
  }
}

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';
export const isTaken = (error: unknown): boolean => codeOf(error) === 'EEXIST';

/** The file's stats, or undefined when it is missing. Never follows a link. */
export function lookAt(disk: Disk, path: string): fs.Stats | undefined {
  try {
    // No exception: one costs ten times the call, and the file is often missing.
    return disk.lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storeFailure('look at', path, error);
  }
}

/** Whether an open descriptor is of that file; false for a closed one. */
export function isSameFile(disk: Disk, descriptor: number, { dev, ino }: fs.Stats): boolean {
  try {
    const open = disk.fstatSync(descriptor);
    return open.dev === dev && open.ino === ino;
  } catch (error) {
    if (codeOf(error) === 'EBADF') return false;
    throw storeFailure('look at', `descriptor ${descriptor}`, error);
  }
}

/** Removes a file; a missing one is fine. */
export function removeFile(disk: Disk, path: string): void {
  try {
    disk.unlinkSync(path);
  } catch (error) {
    // A read-only file system refuses even to remove a missing file.
    if (isMissing(error) || (codeOf(error) === 'EROFS' && lookAt(disk, path) === undefined)) return;
    throw storeFailure('remove', path, error);
  }
}

/** Lists a directory, sorted; a missing one is empty. */
export function list(disk: Disk, path: string): string[] {
  try {
    return disk.readdirSync(path).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw storeFailure('list', path, error);
  }
}
