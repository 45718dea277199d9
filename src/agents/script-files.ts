/** The few looks at the disk that an agent takes itself, and the one thing it writes: what a script tells it to. */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { codeOf, UsageError } from '../model/text/errors.ts';

/** Why nothing can be started in this directory, as the rest of a sentence; undefined when something can. */
export function directoryFault(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return `${path} is no directory.`;
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
 * Writes a file below a directory, making the directories between; never through a link that leads out of it.
 *
 * @returns false, with nothing written, when the path leads out
 */
export function writeInside(directory: string, path: string, text: string): boolean {
  const root = realpathSync(directory);
  const target = resolve(root, path);
  if (!isInside(root, target) || !isInside(root, realpathSync(nearestThere(dirname(target))))) return false;
  mkdirSync(dirname(target), { recursive: true });
  const fd = openSync(target, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW);
  try {
    writeFileSync(fd, text);
  } finally {
    closeSync(fd);
  }
  return true;
}

/**
 * Paths as an agent names them, where they really lead: below the directory they are relative to it, else absolute.
 * A link that leads out is followed, so that nobody need look at the disk again to judge them.
 */
export function withinRoot(directory: string, paths: readonly string[]): string[] {
  const root = realpathSync(directory);
  return paths.map((path) => {
    const real = realPath(resolve(root, path));
    return isInside(root, real) ? relative(root, real) || '.' : real;
  });
}

/** Of a file that is not there yet: as far as its directories are. */
function realPath(path: string): string {
  const there = nearestThere(path);
  return resolve(realpathSync(there), relative(there, path));
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return !isAbsolute(way) && way.split('/')[0] !== '..';
}

const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)));
