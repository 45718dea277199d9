/**
 * Files that belong to a person: plans, configuration, git's exclude list. They may be links and may have any owner.
 * They are read whole. They are changed only by an append, by creating a missing file, or after the person saw what is
 * written.
 */
import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';
import { randomBytes } from 'node:crypto';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { codeOf, UsageError } from '../../model/text/errors.ts';
import { isMissing, isTaken, storeFailure } from '../files/disk.ts';
import { bytesUpTo } from '../files/regular-file.ts';

const LARGEST = 4 * 1024 * 1024;

/**
 * @returns the text, or undefined when there is no such file
 * @throws UsageError `USAGE` for a directory, a device, a circle of links or a file over 4 MiB; StoreError when it may
 * not be read
 */
export const readUserFile = (path: string): string | undefined => read(path)?.toString('utf8');

/**
 * The same, of a file in which each byte counts: a command with another name of a file in it would be another command.
 *
 * @param shown the path in errors
 * @throws UsageError `code` with the place of what is not UTF-8
 */
export function readUserText(path: string, code: TextCode, shown = path): string | undefined {
  const bytes = read(path);
  return bytes === undefined ? undefined : utf8Text(bytes, code, shown);
}

type TextCode = 'PLAN_INVALID' | 'CONFIG_INVALID';

/** @throws UsageError `code` with the place of what is not UTF-8 */
export function utf8Text(bytes: Uint8Array, code: TextCode, shown: string): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  if (isUtf8(bytes)) return text;
  const isUtf16 = ['\xff\xfe', '\xfe\xff'].includes(Buffer.from(bytes.subarray(0, 2)).toString('latin1'));
  const before = text.slice(0, text.indexOf('\uFFFD')).split('\n');
  const place = `${shown}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
  const what = isUtf16 ? 'This is UTF-16' : 'This is not UTF-8';
  throw new UsageError(code, `${place}: ${what}; save it as UTF-8.`);
}

function read(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    // A socket cannot even be opened.
    if (!statSync(path).isFile()) throw new UsageError('USAGE', `${path} is not a file.`);
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!fstatSync(file).isFile()) throw new UsageError('USAGE', `${path} is not a file.`);
    return smallBytes(file, path);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return undefined;
    if (codeOf(error) === 'ELOOP') throw new UsageError('USAGE', `${path} is a link that leads back to itself.`);
    throw storeFailure('read', path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function smallBytes(file: number, path: string): Buffer {
  const bytes = bytesUpTo(file, LARGEST);
  if (bytes === undefined) throw new UsageError('USAGE', `${path} is larger than 4 MiB.`);
  return bytes;
}

const BY_DESCRIPTOR = existsSync('/proc/self/fd');

/**
 * A file of a project that may come from a clone: a link could lead to a key of the user's.
 *
 * @param root the project; its own path may have links
 * @returns the text, or undefined when there is no such file, or a link on the way to it
 * @throws UsageError `USAGE` for a file over 4 MiB; StoreError when it may not be read
 */
export function readProjectFile(path: string, root: string): string | undefined {
  let file: number | undefined;
  try {
    const folder = join(realpathSync(root), relative(root, dirname(path)));
    if (realpathSync(dirname(path)) !== folder) return undefined;
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    // The folder may be swapped for a link between the look and the opening.
    if (BY_DESCRIPTOR && dirname(readlinkSync(`/proc/self/fd/${file}`)) !== folder) return undefined;
    return fstatSync(file).isFile() ? smallBytes(file, path).toString('utf8') : undefined;
  } catch (error) {
    if (isMissing(error) || ['ENOTDIR', 'ELOOP', 'EMLINK', 'EINVAL'].includes(codeOf(error) ?? '')) return undefined;
    throw storeFailure('read', path, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Names of the files in a directory, sorted; none if it cannot be listed. */
export function fileNames(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    // The names serve only as a hint.
    return [];
  }
}

/**
 * Creates a file whole or not at all: it gets its name when its text is written, so a process that is killed before
 * leaves no empty plan that the next one would keep.
 *
 * @returns false when the file exists; it is not changed
 */
export function createUserFile(path: string, text: string): boolean {
  try {
    makeDirectoryPath(dirname(path));
    const temp = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    writeNew(temp, text);
    try {
      nameFile(temp, path, text);
    } finally {
      rmSync(temp, { force: true });
    }
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw storeFailure('create', path, error);
  }
}

/** What a file system answers that has no second name for a file. */
const NO_LINKS: ReadonlySet<unknown> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

function nameFile(temp: string, path: string, text: string): void {
  try {
    linkSync(temp, path);
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error;
    writeNew(path, text);
  }
}

/**
 * Replaces a whole file, or creates it. A link to it stays a link, and its mode stays. A pipe or a device is never
 * replaced: the text goes into it.
 *
 * @throws UsageError `USAGE` for a directory, a link that leads nowhere, a circle of links and a pipe that nobody reads
 */
export function rewriteUserFile(path: string, text: string): void {
  try {
    makeDirectoryPath(dirname(path));
    const known = statSync(path, { throwIfNoEntry: false });
    if (known?.isDirectory() === true) throw new UsageError('USAGE', `${path} is a folder; name a file in it.`);
    if (known?.isFile() === false) {
      writeInto(path, text);
      return;
    }
    refuseLostLink(path);
    const target = known ? realpathSync(path) : path;
    const temp = `${target}.${process.pid}.tmp`;
    writeNew(temp, text, known?.mode);
    unlessFailed(temp, () => renameSync(temp, target));
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw new UsageError('USAGE', `${path} is a link that leads back to itself.`);
    if (codeOf(error) === 'ENXIO') throw new UsageError('USAGE', `${path} is a pipe or a socket that nobody reads.`);
    throw storeFailure('write', path, error);
  }
}

/** A link may lead to a disk that is not mounted: neither it nor what it leads to is made. */
function refuseLostLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  throw new UsageError('USAGE', `${path} is a link to ${readlinkSync(path)}, which does not exist.`);
}

/** What is no file of a disk. */
function writeInto(path: string, text: string): void {
  // Without it, a pipe that nobody reads would be waited for.
  const probe = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    const file = openSync(path, constants.O_WRONLY);
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  } finally {
    closeSync(probe);
  }
}

/** Makes a file whole or not at all: on a full disk nothing of it is left. */
function writeNew(path: string, text: string, mode = 0o666): void {
  const file = openSync(path, 'wx', mode);
  unlessFailed(path, () => {
    try {
      writeFileSync(file, text);
    } finally {
      closeSync(file);
    }
  });
}

/** @param made a file that is removed again if `work` fails */
function unlessFailed(made: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    rmSync(made, { force: true });
    throw error;
  }
}

/** Whether two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

export function appendUserFile(path: string, text: string): void {
  try {
    makeDirectoryPath(dirname(path));
    appendFileSync(path, text);
  } catch (error) {
    throw storeFailure('append to', path, error);
  }
}

export const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Whether there is something else than a directory; false also for what cannot be looked at. */
export function isNoDirectory(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}
