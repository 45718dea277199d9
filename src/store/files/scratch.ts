/** A directory for the files of one piece of work; removed at its end. */
import {
  closeSync,
  constants,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { leadsThrough, projectsAround } from '../../os/program-path.ts';
import { StoreError } from '../../model/text/errors.ts';
import { FILE_MODE, isMissing, onDisk, storeFailure } from './disk.ts';

/**
 * Directories for temporary files in which members cannot write, the preferred one first: TMPDIR may lie in the project.
 *
 * @param at a directory in a project
 */
export function temporaryPlaces(at = process.cwd()): string[] {
  const projects = projectsAround(at);
  return [...new Set([tmpdir(), '/tmp'])].filter((place) => !projects.some((project) => leadsThrough(place, project)));
}

/** @throws StoreError where TMPDIR is no directory, or may not be written */
export function temporaryDirectory(prefix: string, at?: string): string {
  const [place = tmpdir()] = temporaryPlaces(at);
  return onDisk('create a directory in TMPDIR', place, () => mkdtempSync(join(place, prefix)));
}

/**
 * @param work may leave any files in the directory
 * @param at a directory in a project, which this process may not know
 */
export async function withScratch<T>(work: (directory: string) => Promise<T>, at?: string): Promise<T> {
  const directory = temporaryDirectory('teams-', at);
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** @throws StoreError */
export const putScratch = (path: string, bytes: Uint8Array): void =>
  onDisk('write', path, () => writeFileSync(path, bytes, { mode: FILE_MODE }));

/** Lets a git repository in a scratch directory read the objects of these directories. */
export const borrowObjects = (repository: string, directories: readonly string[]): void =>
  // Git reads a quoted line as a text with escapes.
  writeFileSync(
    join(repository, 'objects/info/alternates'),
    directories.map((one) => `${JSON.stringify(one)}\n`).join(''),
  );

/**
 * Copies a file that may not be there, with its time in whole seconds. The time is read first and rounded down: the copy
 * may look older than it is, and never newer.
 *
 * @throws StoreError also for a pipe or a device, which could be read forever
 */
export function copyIfThere(from: string, to: string): void {
  let file: number | undefined;
  try {
    file = openSync(from, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new StoreError('CORRUPT', `${from} is not a file.`, { path: from });
    const second = Math.floor(stat.mtimeMs / 1000);
    writeFileSync(to, readFileSync(file));
    utimesSync(to, second, second);
  } catch (error) {
    if (!isMissing(error)) throw storeFailure('copy', from, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
