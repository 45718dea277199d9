/**
 * Text files of a workspace: read by pages, written whole in one step, edited. These are the user's files, not ours:
 * they keep their mode, owner, line ends and byte-order mark. Only regular files with one name are touched: another
 * name of the same file may be outside the workspace.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, ConflictError, UsageError } from '../../model/text/errors.ts';
import { quoted } from '../../model/text/document-problem.ts';
import {
  O_CREAT,
  O_EXCL,
  O_NOFOLLOW,
  O_NONBLOCK,
  O_RDONLY,
  O_WRONLY,
  realDisk,
  removeFile,
  storeFailure,
} from '../files/disk.ts';
import { chunks } from '../files/file.ts';
import { LinePage, type Page, type LinePageRequest } from '../files/line-page.ts';
import { bytesUpTo } from '../files/regular-file.ts';
import { at, inside, type ResolvedPath } from './resolved-path.ts';

/** Larger files are not read for a page, in bytes. */
const LARGEST_READ = 64 * 1024 * 1024;
const LARGEST_EDIT = 8 * 1024 * 1024;

/** Names of the entries of a directory, sorted, directories with a `/`; undefined when the place is not a directory. */
export function listed(place: ResolvedPath): string[] | undefined {
  const isDirectory = (name: string): boolean => lstatSync(name, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!at(place, { make: false }, isDirectory)) return undefined;
  return inside(place, (name) => doing('list', place, () => readdirSync(name, { withFileTypes: true })))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort();
}

/** @throws UsageError `USAGE` for a file that is missing, is not text, or is over 64 MiB */
export const readPage = (place: ResolvedPath, wanted: LinePageRequest): Page =>
  at(place, { make: false }, (name) => {
    const { fd, stat } = openFile(name, place);
    try {
      if (stat.size > LARGEST_READ)
        throw new UsageError('USAGE', `${quoted(place.path)} is over 64 MiB; look at parts of it with a command.`);
      const page = new LinePage(wanted);
      for (const chunk of chunks(realDisk, fd)) page.push(chunk);
      return page.end();
    } finally {
      closeSync(fd);
    }
  });

/**
 * Writes a whole file; the commit point is the rename.
 *
 * @returns whether there was one before
 * @throws UsageError `USAGE` for what is not a regular file, or is read-only
 */
export const writeText = (place: ResolvedPath, text: string): { readonly replaced: boolean } =>
  at(place, { make: true }, (name) => {
    const before = lstatSync(name, { throwIfNoEntry: false });
    if (before !== undefined) mustBeWritable(before, place);
    replace(name, Buffer.from(text), before, place);
    return { replaced: before !== undefined };
  });

/**
 * Edits a file; if it was changed meanwhile, nothing is written.
 *
 * @param change gets the text with its own line ends, without its byte-order mark; may throw
 */
export const changeText = (place: ResolvedPath, change: (text: string) => string): void =>
  at(place, { make: false }, (name) => {
    const { fd, stat } = openFile(name, place);
    try {
      mustBeWritable(stat, place);
      const bytes = bytesUpTo(fd, LARGEST_EDIT);
      if (bytes === undefined) throw new UsageError('USAGE', `${quoted(place.path)} is over 8 MiB, too large to edit.`);
      const { bom, text } = decoded(bytes, place);
      const next = Buffer.from(bom + change(text));
      const now = lstatSync(name, { throwIfNoEntry: false });
      if (now?.ino !== stat.ino || now.mtimeMs !== stat.mtimeMs || now.size !== stat.size)
        throw new ConflictError(
          'REFUSED',
          `${quoted(place.path)} was changed meanwhile by another process; read it again.`,
        );
      replace(name, next, stat, place);
    } finally {
      closeSync(fd);
    }
  });

/** Never opens a device: for some devices, opening already has an effect. */
export function openFile(name: string, place: ResolvedPath): { readonly fd: number; readonly stat: Stats } {
  const seen = lstatSync(name, { throwIfNoEntry: false });
  if (seen === undefined) throw new UsageError('USAGE', `There is no ${quoted(place.path)}.`);
  mustBePlain(seen, place);
  const fd = doing('open', place, () => openSync(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  try {
    const stat = fstatSync(fd);
    mustBePlain(stat, place);
    return { fd, stat };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function mustBePlain(stat: Stats, { path }: ResolvedPath): void {
  if (stat.isDirectory()) throw new UsageError('USAGE', `${quoted(path)} is a directory.`);
  if (!stat.isFile()) throw new UsageError('USAGE', `${quoted(path)} is not a regular file.`);
  if (stat.nlink > 1)
    throw new UsageError(
      'POLICY_DENIED',
      `${quoted(path)} has ${stat.nlink} names, and another may lie outside the workspace (rule: workspace only); copy it first.`,
    );
}

function mustBeWritable(stat: Stats, place: ResolvedPath): void {
  mustBePlain(stat, place);
  if ((stat.mode & 0o222) === 0) throw new UsageError('USAGE', `${quoted(place.path)} is read-only (chmod u+w it).`);
}

/** Temporary file beside it, with the mode and owner of the old file, fsync, rename. */
function replace(name: string, bytes: Buffer, before: Stats | undefined, place: ResolvedPath): void {
  const temp = `${dirname(name)}/.teams-${randomBytes(9).toString('hex')}.tmp`;
  doing(
    'write',
    place,
    () => {
      const fd = openSync(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
      try {
        writeFileSync(fd, bytes);
        if (before !== undefined) keep(fd, before);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(temp, name);
    },
    () => removeFile(realDisk, temp),
  );
}

function keep(fd: number, { mode, uid, gid }: Stats): void {
  const now = fstatSync(fd);
  if (now.uid !== uid || now.gid !== gid)
    try {
      fchownSync(fd, uid, gid);
    } catch (error) {
      // Only root may change the owner; for other users a file of their own is good enough.
      if (codeOf(error) !== 'EPERM') throw error;
    }
  fchmodSync(fd, mode & 0o777);
}

const BOM = '\ufeff';

function decoded(bytes: Buffer, { path }: ResolvedPath): { readonly bom: string; readonly text: string } {
  try {
    const all = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!all.includes('\0')) return all.startsWith(BOM) ? { bom: BOM, text: all.slice(1) } : { bom: '', text: all };
  } catch {
    // Reported below, with the same cure.
  }
  throw new UsageError('USAGE', `${quoted(path)} is not UTF-8 text; change it with a command.`);
}

function doing<T>(what: string, { path }: ResolvedPath, work: () => T, undo: () => void = () => {}): T {
  try {
    return work();
  } catch (error) {
    undo();
    throw storeFailure(what, path, error);
  }
}
