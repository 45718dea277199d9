/**
 * Files that belong to a person: plans, configuration, git's exclude list. They may be links and may have any owner.
 * They are read whole.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { dirname, join, relative } from 'node:path';
import { codeOf, UsageError } from '../../model/text/errors.ts';
import { isMissing, storeFailure } from '../files/disk.ts';
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

/** Whether two paths lead to one file. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino;
}

/** Whether there is a directory; false also for what cannot be looked at. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Whether there is something else than a directory; false also for what cannot be looked at. */
export function isNoDirectory(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}
