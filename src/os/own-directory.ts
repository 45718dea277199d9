/**
 * Makes directories. Node's own recursive `mkdir` never returns where the system makes no directory below one that is
 * there, as in /proc: it asks for the path and for its parent in turn, for ever; ours ends.
 *
 * Directories below one that a program may change at any moment. No link in it is followed: each directory is opened
 * without following links and used by its descriptor. Without `/proc/self/fd` each step is by name: then a swap at
 * exactly that moment is not noticed.
 */
import * as fs from 'node:fs';
import { closeSync, constants, existsSync, lstatSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../model/text/errors.ts';

const BY_DESCRIPTOR = existsSync('/proc/self/fd');

/**
 * Calls `use` with a path of the directory `below` another one; missing ones are made, and what is no directory is
 * replaced by one.
 */
export function withinOwn(directory: string, below: string, use: (at: string) => void): void {
  const open: number[] = [];
  try {
    let at = dirname(directory);
    for (const name of [basename(directory), ...below.split('/').filter((part) => part !== '.')]) {
      at = join(at, name);
      const fd = openDirectory(at);
      open.push(fd);
      if (BY_DESCRIPTOR) at = `/proc/self/fd/${fd}`;
    }
    use(at);
  } finally {
    for (const fd of open) closeSync(fd);
  }
}

function openDirectory(path: string): number {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(path, { force: true });
  // An existing directory is no error here; a link would be one at the opening.
  makeDirectoryPath(path, 0o700);
  return openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

type Files = Pick<typeof fs, 'mkdirSync' | 'lstatSync' | 'realpathSync'>;

/**
 * Makes a directory, and those above it that are missing. An existing one stays as it is, and so does a link to one.
 *
 * @param mode of those that are made, before the mask of the process
 * @throws the error of the system: `ENOENT` where none can be made, `EEXIST` where there is a file of another kind
 */
export function makeDirectoryPath(path: string, mode = 0o777, files: Files = fs): void {
  const missing: string[] = [];
  for (let at = path; isBelowMissing(at, mode, files); at = dirname(at)) missing.push(at);
  for (const below of missing.toReversed()) make(below, mode, files);
}

/** @returns whether it could not be made since the directory above it is missing */
function isBelowMissing(path: string, mode: number, files: Files): boolean {
  try {
    make(path, mode, files);
    return false;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return true;
  }
}

function make(path: string, mode: number, files: Files): void {
  try {
    files.mkdirSync(path, { mode });
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || !isDirectory(path, files)) throw error;
  }
}

function isDirectory(path: string, files: Files): boolean {
  try {
    return files.lstatSync(path).isDirectory() || files.lstatSync(files.realpathSync(path)).isDirectory();
  } catch {
    // A link that leads nowhere, or what may not be looked at: the first error says more.
    return false;
  }
}
