/**
 * A directory for the files of one piece of work; removed at its end. Its name says which process made it, so that a later
 * process removes that of one that was killed.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { livenessOf, ownIdentity } from '../../os/process-table.ts';
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

/**
 * @param at a directory in a project, which this process may not know
 * @throws StoreError where TMPDIR is no directory, or may not be written
 */
export function temporaryDirectory(at?: string): string {
  const [place = tmpdir()] = temporaryPlaces(at);
  sweepScratch(place);
  return onDisk('create a directory in TMPDIR', place, () => mkdtempSync(join(place, ownPrefix())));
}

/**
 * @param work may leave any files in the directory
 * @param at a directory in a project, which this process may not know
 */
export async function withScratch<T>(work: (directory: string) => Promise<T>, at?: string): Promise<T> {
  const directory = temporaryDirectory(at);
  try {
    return await work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Which process of which boot and pid namespace: another one may have the same pid. */
const NAME = /^teams-(?<pid>[0-9a-z]+)-(?<startTime>[0-9a-z]+)-(?<where>[0-9a-f]{8})-[0-9A-Za-z]{6}$/;

/** The boot and the pid namespace of this process. */
const ownWhere = (): string => {
  const { bootId, pidNamespace } = ownIdentity();
  return hash('sha256', `${bootId} ${pidNamespace}`).slice(0, 8);
};

/** @returns one without a process if what identifies it cannot be read */
function ownPrefix(): string {
  const { pid, startTime, bootId, pidNamespace } = ownIdentity();
  const start = Number(startTime);
  if (bootId === '' || pidNamespace === '' || !Number.isSafeInteger(start) || start <= 0) return 'teams-';
  return `teams-${pid.toString(36)}-${start.toString(36)}-${ownWhere()}-`;
}

/** Places that this process has swept. */
const swept = new Set<string>();

/**
 * Removes what a killed process left: a directory of this user's that is named by a process of this boot and pid namespace which
 * is proven to be dead. One of another boot or namespace proves nothing and stays.
 */
function sweepScratch(place: string): void {
  if (swept.has(place)) return;
  swept.add(place);
  try {
    for (const name of readdirSync(place)) if (isLeft(place, name)) removeLeft(join(place, name));
  } catch {
    // A place that cannot be listed keeps what is in it.
  }
}

function isLeft(place: string, name: string): boolean {
  const { pid = '', startTime = '', where } = NAME.exec(name)?.groups ?? {};
  if (where === undefined || where !== ownWhere()) return false;
  const { bootId, pidNamespace } = ownIdentity();
  const who = {
    pid: Number.parseInt(pid, 36),
    startTime: String(Number.parseInt(startTime, 36)),
    bootId,
    pidNamespace,
  };
  if (livenessOf(who) !== 'dead') return false;
  const seen = lstatSync(join(place, name), { throwIfNoEntry: false });
  return seen?.isDirectory() === true && seen.uid === process.getuid?.();
}

function removeLeft(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Another process removes it as well, or it cannot be removed: nothing depends on it.
  }
}

/** @throws StoreError */
export const putScratch = (path: string, bytes: Uint8Array): void =>
  onDisk('write', path, () => writeFileSync(path, bytes, { mode: FILE_MODE }));

/** A path as git reads it in a list of places of objects, where `:` or a line break ends a path without quotes. */
export const quotedForGit = (path: string): string => {
  const words = path.replace(/["\\]/g, String.raw`\$&`);
  const escaped = words.replace(/\p{Cc}/gu, (one) => (one < '\x80' ? `\\${octal(one)}` : one));
  return `"${escaped}"`;
};

const octal = (character: string): string => character.charCodeAt(0).toString(8).padStart(3, '0');

/** Lets a git repository in a scratch directory read the objects of these directories. */
export const borrowObjects = (repository: string, directories: readonly string[]): void =>
  // Git reads a quoted line as a text with escapes.
  writeFileSync(
    join(repository, 'objects/info/alternates'),
    directories.map((one) => `${quotedForGit(one)}\n`).join(''),
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
