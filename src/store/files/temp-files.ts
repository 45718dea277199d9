/**
 * Temporary files carry their maker's identity in their name, so that files of a dead process can be told from files in
 * use. They are beside their target: a rename or a link never crosses a file system.
 */
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { list, lookAt, removeFile, type Disk } from './disk.ts';
import { removeTree } from './remove-tree.ts';
import { ownIdentity, type Liveness } from '../../os/process-table.ts';
import type { ProcessIdentity } from '../../model/agent/process-identity.ts';

/** Replaces a start time that could not be read: such a maker can never be judged dead. */
const NO_START = 'x';
const MAKER = /\.(\d+)-(\d+|x)-[0-9A-Za-z]+\.tmp$/;

/** @param token distinguishes this file from others of the same process: letters and digits */
export const tempPath = (path: string, token: string, who: ProcessIdentity = ownIdentity()): string =>
  `${path}.${who.pid}-${who.startTime === '' ? NO_START : who.startTime}-${token}.tmp`;

let drawn: string | undefined;
let made = 0;

/** A token for {@link tempPath}: random digits of this thread, drawn once, and a number. */
export function tempToken(): string {
  drawn ??= randomBytes(6).toString('hex');
  made += 1;
  return `${drawn}z${made.toString(36)}`;
}

/** Removes the temporary files and directories of dead processes from a directory. */
export function sweepTemps(disk: Disk, directory: string, alive: (who: ProcessIdentity) => Liveness): void {
  const { bootId, pidNamespace } = ownIdentity();
  for (const file of list(disk, directory)) {
    const [, pid, startTime] = MAKER.exec(file) ?? [];
    if (pid === undefined || startTime === undefined || startTime === NO_START) continue;
    if (alive({ pid: Number(pid), startTime, bootId, pidNamespace }) === 'dead')
      removeTree(disk, join(directory, file));
  }
}

const tempsOf = (disk: Disk, path: string): string[] =>
  list(disk, dirname(path))
    .filter((file) => file.startsWith(`${basename(path)}.`) && MAKER.test(file))
    .map((file) => join(dirname(path), file));

/** How many temporary names beside `path` are links to the same file. */
export const tempLinks = (disk: Disk, path: string, ino: number): number =>
  tempsOf(disk, path).filter((temp) => lookAt(disk, temp)?.ino === ino).length;

/** Removes the temporary files of `path`, for a caller inside the lock in which they are made. */
export function removeTempsOf(disk: Disk, path: string): void {
  for (const temp of tempsOf(disk, path)) removeFile(disk, temp);
}
