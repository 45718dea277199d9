/** Files of the user's working tree, byte for byte, compared with the files of a git tree. */
import { type Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../model/text/errors.ts';
import { isMissing } from '../files/disk.ts';

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

/** The name that git gives to these bytes. */
function blobHash(bytes: Buffer, like: string): string {
  const hash = createHash(like.length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/**
 * What is at a path now.
 *
 * @param like a hash of the repository: its length tells the kind
 * @returns `other` for what a tree cannot hold: a directory, a socket
 */
export function entryAt(path: string, like: string): TreeEntry | 'other' {
  const found = statOf(path);
  if (found === undefined) return null;
  if (found.isSymbolicLink()) return { mode: LINK, hash: blobHash(readlinkSync(path, 'buffer'), like) };
  if (!found.isFile()) return 'other';
  return { mode: (found.mode & 0o100) === 0 ? '100644' : PROGRAM, hash: blobHash(readFileSync(path), like) };
}

export const isSame = (a: TreeEntry, b: TreeEntry | 'other'): boolean =>
  b !== 'other' && a?.hash === b?.hash && a?.mode === b?.mode;

/** Whether a file was made before a time, in milliseconds since 1970; false where the file system does not tell. */
export function isOlder(path: string, than: number | undefined): boolean {
  const born = statOf(path)?.birthtimeMs;
  return than !== undefined && born !== undefined && born > 0 && born < than;
}

/** Whoever may read a program may run it. */
const programBits = (old: number, mode: string): number => (mode === PROGRAM ? (old & 0o444) >> 2 : 0);

/** The name, beside a file, of what will take its place. */
export const freshPath = (path: string, token: string): string => join(dirname(path), `.teams-undo-${token}`);

/**
 * Puts a file or link in place at once: whoever reads sees the old one or the new one.
 *
 * @param token unique to this undo, also after a kill
 */
export function placeFile(path: string, { mode }: NonNullable<TreeEntry>, bytes: Buffer, token: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = freshPath(path, token);
  rmSync(fresh, { force: true });
  const old = statOf(path);
  if (mode === LINK) symlinkSync(bytes, fresh);
  else writeFileSync(fresh, bytes, { mode: mode === PROGRAM ? 0o777 : 0o666, flag: 'wx', flush: true });
  // Permissions that a tree does not keep stay as they are.
  if (mode !== LINK && old?.isFile() === true) chmodSync(fresh, (old.mode & 0o666) | programBits(old.mode, mode));
  renameSync(fresh, path);
}

/** Removes what a killed call left beside a file. */
export const removeFresh = (path: string, token: string): void => removeIfThere(freshPath(path, token));

/** There is nothing, either, where a directory above it is a file. */
function removeIfThere(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (codeOf(error) !== 'ENOTDIR') throw error;
  }
}

/** Removes a file, what a killed call left beside it, and the directories above it that are empty then. A directory stays. */
export function removeUserFile(top: string, path: string, token: string): void {
  if (statOf(join(top, path))?.isDirectory() === true) return;
  removeIfThere(join(top, path));
  removeFresh(join(top, path), token);
  const parts = path.split('/').slice(0, -1);
  for (; parts.length > 0; parts.pop()) {
    try {
      rmdirSync(join(top, ...parts));
    } catch (error) {
      if (!isMissing(error)) return;
    }
  }
}

/** Whether a directory above this path is a link: what is behind it is not the repository's. */
export function isBehindLink(top: string, path: string): boolean {
  const parts = path.split('/').slice(0, -1);
  return parts.some((_, at) => statOf(join(top, ...parts.slice(0, at + 1)))?.isSymbolicLink() === true);
}
