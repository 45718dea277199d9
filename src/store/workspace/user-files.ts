/**
 * Files of the user's working tree, byte for byte, compared with the files of a git tree. A member may exchange a
 * directory on the way for a link at any moment, so each is reached by the descriptor of its directory.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../model/text/errors.ts';
import { isMissing } from '../files/disk.ts';
import { at } from './resolved-path.ts';

/** A file of a tree; null where there is none. */
export type TreeEntry = { readonly mode: string; readonly hash: string } | null;

const LINK = '120000';
const PROGRAM = '100755';

/** Undefined where nothing is, also below a file. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Of a regular file, in bytes; undefined for anything else, and for what may not be looked at. */
export function fileSize(path: string): number | undefined {
  try {
    const found = lstatSync(path);
    return found.isFile() ? found.size : undefined;
  } catch {
    return undefined;
  }
}

/** Larger than any file that an undo puts in place; git reads no larger one for us. */
export const MOST_FILE_BYTES = 2 ** 31;
const CHUNK = 1024 * 1024;

const hashLike = (like: string) => createHash(like.length === 64 ? 'sha256' : 'sha1');

/** The name that git gives to a file's bytes; undefined for what changes or is replaced meanwhile, or is too large. */
function blobOf(path: string, like: string): { readonly hash: string; readonly mode: number } | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MOST_FILE_BYTES) return undefined;
    const hash = hashLike(like).update(`blob ${stat.size}\0`);
    const bytes = Buffer.allocUnsafe(Math.min(CHUNK, stat.size + 1));
    let length = 0;
    for (let read = 1; read > 0 && length <= stat.size; length += read) {
      read = readSync(file, bytes, 0, bytes.length, null);
      hash.update(bytes.subarray(0, read));
    }
    const { ctimeMs, mtimeMs } = fstatSync(file);
    const isStill = length === stat.size && ctimeMs === stat.ctimeMs && mtimeMs === stat.mtimeMs;
    return isStill ? { hash: hash.digest('hex'), mode: stat.mode } : undefined;
  } finally {
    closeSync(file);
  }
}

/**
 * Copies the bytes of a file as it is now, or where a link leads, to a place of ours.
 *
 * @returns the mode in a tree; undefined for what a tree cannot hold, behind a link, and over 2 GiB
 */
export const copyEntry = (top: string, path: string, to: string): string | undefined =>
  reached(top, path, (name) => {
    const found = statOf(name);
    if (found?.isSymbolicLink() === true) {
      writeFileSync(to, readlinkSync(name, 'buffer'), { mode: 0o600 });
      return LINK;
    }
    return found?.isFile() === true ? copyFile(name, to) : undefined;
  });

function copyFile(name: string, to: string): string | undefined {
  const file = openSync(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const copy = openSync(to, 'w', 0o600);
  try {
    const { mode, size } = fstatSync(file);
    if (size > MOST_FILE_BYTES) return undefined;
    const bytes = Buffer.allocUnsafe(Math.min(CHUNK, size + 1));
    // A file that grows is not followed for ever.
    for (let left = size; left > 0;) {
      const read = readSync(file, bytes, 0, Math.min(bytes.length, left), null);
      if (read === 0) break;
      writeSync(copy, bytes, 0, read);
      left -= read;
    }
    return modeOf(mode);
  } finally {
    closeSync(copy);
    closeSync(file);
  }
}

const modeOf = (mode: number): string => ((mode & 0o100) === 0 ? '100644' : PROGRAM);

/** @returns undefined where a directory on the way is missing, is a file or is a link */
function reached<T>(top: string, path: string, work: (name: string) => T, make = false): T | undefined {
  try {
    return at({ root: top, asked: path, path }, { make }, work);
  } catch (error) {
    if (!make && ['USAGE', 'CORRUPT'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** `unlike`: what is no entry of any tree: a pipe, behind a link, changing, or over 2 GiB. */
export type PresentEntry = TreeEntry | 'directory' | 'unlike';

/**
 * What is at a path now.
 *
 * @param top the root of the working tree, without links
 * @param path relative to it
 * @param like a hash of the repository: its length tells the kind
 */
export function entryAt(top: string, path: string, like: string): PresentEntry {
  const found = reached(top, path, (name) => entryBy(name, like) ?? 'none');
  if (found === undefined) return isBehindLink(top, path) ? 'unlike' : null;
  return found === 'none' ? null : found;
}

function entryBy(name: string, like: string): PresentEntry {
  const found = statOf(name);
  if (found === undefined) return null;
  if (found.isSymbolicLink()) {
    const to = readlinkSync(name, 'buffer');
    return { mode: LINK, hash: hashLike(like).update(`blob ${to.length}\0`).update(to).digest('hex') };
  }
  if (!found.isFile()) return found.isDirectory() ? 'directory' : 'unlike';
  const blob = blobOf(name, like);
  return blob === undefined ? 'unlike' : { mode: modeOf(blob.mode), hash: blob.hash };
}

export const isSame = (a: TreeEntry, b: PresentEntry): boolean =>
  typeof b !== 'string' && a?.hash === b?.hash && a?.mode === b?.mode;

/** Whether a file was made before a time, in milliseconds since 1970; false where the file system does not tell. */
export function isOlder(path: string, than: number | undefined): boolean {
  const born = statOf(path)?.birthtimeMs;
  return than !== undefined && born !== undefined && born > 0 && born < than;
}

/** Whoever may read a program may run it. */
const programBits = (old: number, mode: string): number => (mode === PROGRAM ? (old & 0o444) >> 2 : 0);

/** The name, beside a file, of what will take its place. */
export const freshPath = (path: string, token: string): string => join(dirname(path), `.teams-undo-${token}`);

/** How the file at a path is changed. */
interface FileChange {
  /** Unique to this undo, also after a kill. */
  readonly token: string;
  /** Whether what is there may go: asked in the last moment, since the user may edit it meanwhile. */
  readonly isFree: (present: PresentEntry) => boolean;
}

/**
 * Puts a file or link in place at once: a reader sees the old one or the new one.
 *
 * @returns false if what is there must stay
 * @throws StoreError `CORRUPT` if a directory on the way is a link or a file
 */
export function placeFile(
  top: string,
  path: string,
  { mode, hash }: NonNullable<TreeEntry>,
  { bytes, token, isFree }: FileChange & { readonly bytes: Buffer },
): boolean {
  const place = (name: string): boolean => {
    const fresh = freshPath(name, token);
    rmSync(fresh, { force: true });
    const old = statOf(name);
    if (mode === LINK) symlinkSync(bytes, fresh);
    // Permissions that a tree does not keep stay as they are.
    else writeFresh(fresh, bytes, mode, old?.isFile() === true ? old.mode : undefined);
    const present = entryBy(name, hash);
    if (isFree(present) && (present !== 'directory' || removeFolders(name))) {
      renameSync(fresh, name);
      return true;
    }
    rmSync(fresh, { force: true });
    return false;
  };
  return reached(top, path, place, true) === true;
}

/** Removes a directory in which there are only directories. @returns false if there is anything else in it */
function removeFolders(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true });
  if (entries.some((entry) => !entry.isDirectory())) return false;
  if (!entries.every(({ name }) => removeFolders(`${folder}/${name}`))) return false;
  rmdirSync(folder);
  return true;
}

function writeFresh(fresh: string, bytes: Buffer, mode: string, old: number | undefined): void {
  const file = openSync(fresh, 'wx', mode === PROGRAM ? 0o777 : 0o666);
  try {
    writeFileSync(file, bytes);
    if (old !== undefined) fchmodSync(file, (old & 0o666) | programBits(old, mode));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Removes what a killed call left beside a file. */
export function removeFresh(top: string, path: string, token: string): void {
  reached(top, path, (name) => rmSync(freshPath(name, token), { force: true }));
}

/**
 * Removes a file, what a killed call left beside it, and the directories above it that are empty then. A directory stays.
 *
 * @param like a hash of the repository
 * @returns false if what is there must stay
 */
export function removeUserFile(
  top: string,
  path: string,
  { like, token, isFree }: FileChange & { readonly like: string },
): boolean {
  const found = reached(top, path, (name) => {
    const present = entryBy(name, like);
    if (present === 'directory' || !isFree(present)) return present;
    rmSync(name, { force: true });
    rmSync(freshPath(name, token), { force: true });
    return null;
  });
  if (found !== null) return isFree(found ?? entryAt(top, path, like));
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    try {
      reached(top, folder, (name) => rmdirSync(name));
    } catch (error) {
      if (!isMissing(error)) break;
    }
  }
  return true;
}

/** Whether a directory above this path is a link: what is behind it is not the repository's. */
function isBehindLink(top: string, path: string): boolean {
  const above = obstacleAbove(top, path);
  return above !== undefined && statOf(join(top, above))?.isSymbolicLink() === true;
}

/** The first thing on the way to a path that is no directory. */
export function obstacleAbove(top: string, path: string): string | undefined {
  const parts = path.split('/').slice(0, -1);
  const ways = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  return ways.find((way) => statOf(join(top, way))?.isDirectory() === false);
}

/** The first thing below a directory, if there is one at this path, that is no directory and none of these files. */
export function otherFileBelow(top: string, path: string, isKnown: (path: string) => boolean): string | undefined {
  if (statOf(join(top, path))?.isDirectory() !== true) return undefined;
  for (const entry of readdirSync(join(top, path), { withFileTypes: true })) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) {
      const other = otherFileBelow(top, below, isKnown);
      if (other !== undefined) return other;
    } else if (!isKnown(below)) return below;
  }
  return undefined;
}
