/**
 * Removes our own directories. Links are removed, never followed; what another process removes meanwhile is fine. A
 * program may exchange a directory for a link at any moment, so each is opened without following links, and what it holds
 * is reached by its descriptor. Without `/proc` each step is by name: then a swap at exactly that moment is not noticed.
 */
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../model/text/errors.ts';
import {
  DIRECTORY_MODE,
  isMissing,
  O_DIRECTORY,
  O_NOFOLLOW,
  O_RDONLY,
  onDisk,
  storeFailure,
  type Disk,
} from './disk.ts';

const DESCRIPTORS = '/proc/self/fd';
const WRITE_AND_SEARCH = 0o300;
/** Directories deeper than this are moved up first: each on the way is held open. */
const DEEPEST = 64;

/** A file or directory: the name by which it is reached, and its path for messages. */
interface Place {
  readonly name: string;
  readonly path: string;
}

/** A round of a removal: directories that are too deep are moved into the top directory, for the next one. */
interface Round {
  readonly disk: Disk;
  /** The disk has the descriptors of this process by name. */
  readonly byDescriptor: boolean;
  /** A name of the top directory that is valid while it is open. */
  top: string;
  moved: number;
}

/** Removes a file, or a directory with its contents, also what a program made read-only, as Go's module cache is. */
export function removeTree(disk: Disk, path: string): void {
  const byDescriptor = statOf(disk, { name: DESCRIPTORS, path })?.isDirectory() === true;
  const round: Round = { disk, byDescriptor, top: path, moved: 0 };
  for (let before = -1; before < round.moved;) {
    before = round.moved;
    remove(round, { name: path, path }, 0);
  }
}

function remove(round: Round, place: Place, depth: number): void {
  const { disk } = round;
  const stat = statOf(disk, place);
  if (stat === undefined) return;
  const fd = stat.isDirectory() ? openDirectory(disk, place) : 'other';
  if (fd === 'other') return unlink(disk, place);
  if (fd === undefined) return;
  try {
    if ((stat.mode & WRITE_AND_SEARCH) !== WRITE_AND_SEARCH) permit(disk, fd);
    if (depth > DEEPEST && moveUp(round, place)) return;
    // Also of one that another process removed meanwhile: by its path, what took its place would be read.
    const name = round.byDescriptor ? `${DESCRIPTORS}/${fd}` : place.name;
    if (depth === 0) round.top = name;
    for (const file of filesOf(disk, { ...place, name }))
      remove(round, { name: join(name, file), path: join(place.path, file) }, depth + 1);
  } finally {
    disk.closeSync(fd);
  }
  onDisk('remove', place.path, () => {
    removeIfEmpty(disk, place.name);
  });
}

const statOf = (disk: Disk, { name, path }: Place): Stats | undefined =>
  onDisk('look at', path, () => {
    try {
      return disk.lstatSync(name, { throwIfNoEntry: false });
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  });

/** @returns `other` for what is no directory any more; undefined for one that is gone, or was closed to us and empty */
function openDirectory(disk: Disk, { name, path }: Place): number | 'other' | undefined {
  try {
    return disk.openSync(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (['ELOOP', 'ENOTDIR'].includes(code)) return 'other';
    if (isMissing(error) || (['EACCES', 'EPERM'].includes(code) && isRemoved(disk, name))) return undefined;
    throw storeFailure('open', path, error);
  }
}

function isRemoved(disk: Disk, name: string): boolean {
  try {
    disk.rmdirSync(name);
    return true;
  } catch (error) {
    return isMissing(error);
  }
}

function permit(disk: Disk, fd: number): void {
  try {
    disk.fchmodSync(fd, DIRECTORY_MODE);
  } catch {
    // Another user's: what cannot be removed in it is then named.
  }
}

/** @returns whether it lies in the top directory now, where the next round removes it */
function moveUp(round: Round, { name }: Place): boolean {
  try {
    round.disk.renameSync(name, join(round.top, `.deep-${round.moved}`));
    round.moved += 1;
    return true;
  } catch {
    // Nothing else is in its way but limits, which are then named.
    return false;
  }
}

function filesOf(disk: Disk, { name, path }: Place): string[] {
  try {
    return disk.readdirSync(name).sort();
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return [];
    throw storeFailure('list', path, error);
  }
}

function unlink(disk: Disk, { name, path }: Place): void {
  try {
    disk.unlinkSync(name);
  } catch (error) {
    if (isMissing(error)) return;
    // A read-only file system refuses even to remove a missing file.
    if (codeOf(error) === 'EROFS' && statOf(disk, { name, path }) === undefined) return;
    throw storeFailure('remove', path, error);
  }
}

/** Removes an empty directory; one that has content, or is missing, stays as it is. */
export function removeEmpty(disk: Disk, path: string): void {
  onDisk('remove', path, () => {
    removeIfEmpty(disk, path);
  });
}

function removeIfEmpty(disk: Disk, name: string): void {
  try {
    disk.rmdirSync(name);
  } catch (error) {
    if (!isMissing(error) && codeOf(error) !== 'ENOTEMPTY') throw error;
  }
}
