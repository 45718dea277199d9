/** The few disk reads of an agent, and its only write: the files that a script names. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { makeDirectoryPath } from '../os/own-directory.ts';
import { codeOf, UsageError } from '../model/text/errors.ts';

/** Why no program can start in this directory, as the rest of a sentence; undefined when one can. */
export function directoryFault(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return `${path} is not a directory.`;
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? `${path} does not exist.` : `${path} may not be entered (${codeOf(error)}).`;
  }
}

export const exists = (path: string): boolean => existsSync(path);

/** @throws UsageError `USAGE` naming the file */
export function readScript(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError('USAGE', `The script ${path} cannot be read (${codeOf(cause)}).`, { cause });
  }
}

/**
 * Writes a file below a directory and creates the directories between; never through a link that leads out of it.
 *
 * @returns false, with nothing written, when the path leads out
 */
export function writeInside(directory: string, path: string, text: string): boolean {
  const root = realpathSync(directory);
  const target = resolve(root, path);
  if (!isInside(root, target) || !isInside(root, realpathSync(nearestThere(dirname(target))))) return false;
  makeDirectoryPath(dirname(target));
  const fd = openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
  return true;
}

/**
 * The real places of the paths that an agent names: relative if they are below the directory, else absolute. A link
 * that leads out is followed, so that a later check needs no disk access.
 */
export function withinRoot(directory: string, paths: readonly string[]): string[] {
  const root = realpathSync(directory);
  return paths.map((path) => {
    const real = realPath(resolve(root, path));
    return isInside(root, real) ? relative(root, real) || '.' : real;
  });
}

/** As many links as the kernel follows in one path. */
const MOST_LINKS = 40;

/** For a file that does not exist yet: resolved as far as its directories exist, and through links to what does not. */
function realPath(path: string, links = MOST_LINKS): string {
  const there = nearestThere(path);
  const real = realpathSync(there);
  if (there === path) return real;
  const [next = '', ...rest] = relative(there, path).split('/');
  const target = links > 0 ? targetOf(resolve(real, next)) : undefined;
  return target === undefined ? resolve(real, next, ...rest) : realPath(resolve(real, target, ...rest), links - 1);
}

/** What a link says; undefined for anything else. */
function targetOf(path: string): string | undefined {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink ? readlinkSync(path) : undefined;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return !isAbsolute(way) && way.split('/')[0] !== '..';
}

const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)));
