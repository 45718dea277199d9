/**
 * Writes files that belong to a person: only by an append, by creating a missing file, or after the person saw what is
 * written.
 */
import {
  appendFileSync,
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { randomBytes } from 'node:crypto';
import { makeDirectoryPath } from '../../os/own-directory.ts';
import { codeOf, UsageError } from '../../model/text/errors.ts';
import { isTaken, storeFailure } from '../files/disk.ts';

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

export function appendUserFile(path: string, text: string): void {
  try {
    makeDirectoryPath(dirname(path));
    appendFileSync(path, text);
  } catch (error) {
    throw storeFailure('append to', path, error);
  }
}
