/**
 * What a tree has besides the files that git knows: places for what it borrows of the project, copies of that where no
 * isolation mounts it, and a note of how far its setup came (docs/isolation.md).
 */
import {
  chmodSync,
  constants,
  copyFile,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { withinOwn } from '../../os/own-directory.ts';
import { DIRECTORY_MODE, onDisk, storeFailure, type Disk } from '../files/disk.ts';
import { readText, replaceFile } from '../files/file.ts';
import { newId } from '../files/new-ids.ts';
import type { TeamPaths, TreeOwner } from '../files/paths.ts';
import { removeTree } from '../files/remove-tree.ts';
import { makeMountPoints } from '../workspace/mount-points.ts';

/** What the project has of what is lent, relative to its root; what is missing is left out. */
export const lendable = (project: string, lend: readonly string[]): { path: string; isDirectory: boolean }[] =>
  lend.flatMap((path) => {
    const found = statSync(join(project, path), { throwIfNoEntry: false });
    return found === undefined ? [] : [{ path, isDirectory: found.isDirectory() }];
  });

/** Makes a place in a tree for each thing that it borrows. What a member put there stays. */
export const makeLentPlaces = (tree: string, lent: ReturnType<typeof lendable>): void =>
  onDisk('create', tree, () => {
    const missing = lent.filter(({ path }) => lstatSync(join(tree, path), { throwIfNoEntry: false }) === undefined);
    makeMountPoints(
      tree,
      missing.map(({ path, isDirectory }) => ({ below: path, isDirectory })),
    );
  });

/** More than this is not copied into one tree. */
export const MOST_COPIED_BYTES = 2 ** 30;

interface LentCopy {
  readonly project: string;
  readonly of: TreeOwner;
  readonly path: string;
  /** Bytes that may be copied. */
  readonly room: number;
}

/**
 * Copies what a tree borrows, whole or not at all; by reflinks where the disk can. A place that is not empty stays.
 *
 * @returns the bytes that it has; undefined if they are more than the room
 */
export async function copyLent(
  disk: Disk,
  paths: TeamPaths,
  { project, of, path, room }: LentCopy,
  signal: AbortSignal,
): Promise<number | undefined> {
  const tree = paths.tree(of);
  if (!isEmptyPlace(join(tree, path))) return 0;
  const draft = paths.treeAside(of, 'lent');
  try {
    removeTree(disk, draft);
    const from = realpathSync(join(project, path));
    const size = sizeUpTo(from, room);
    if (size === undefined) return undefined;
    if (!(await copyAll(from, draft, signal))) return 0;
    withinOwn(tree, dirname(path), (at) => renameSync(draft, join(at, basename(path))));
    return size;
  } catch (error) {
    throw storeFailure('copy', join(project, path), error);
  } finally {
    removeTree(disk, draft);
  }
}

/** Only an empty directory or file: a place that was made, and nothing else. */
function isEmptyPlace(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return readdirSync(path).length === 0;
  return found === undefined || (found.isFile() && found.size === 0);
}

const SLASH = Buffer.from('/');

/** What a folder has, by its bytes: a name need not be UTF-8. */
const below = (folder: Buffer): { readonly name: Buffer; readonly path: Buffer }[] =>
  readdirSync(folder, { encoding: 'buffer' }).map((name) => ({ name, path: Buffer.concat([folder, SLASH, name]) }));

/** Of a file, or of all files of a folder; no link is followed. @returns undefined if it is more than the room */
function sizeUpTo(path: string, room: number): number | undefined {
  let sum = 0;
  const left: Buffer[] = [Buffer.from(path)];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const at = next;
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found?.isFile() === true) sum += found.size;
    if (sum > room) return undefined;
    if (found?.isDirectory() === true) for (const inner of below(at)) left.push(inner.path);
  }
  return sum;
}

/**
 * Links stay as they are written; pipes and devices are left out.
 *
 * @returns whether all was copied
 */
async function copyAll(from: string, to: string, signal: AbortSignal): Promise<boolean> {
  const left: { readonly from: Buffer; readonly to: Buffer }[] = [{ from: Buffer.from(from), to: Buffer.from(to) }];
  for (let next = left.pop(); next !== undefined && !signal.aborted; next = left.pop()) {
    const one = next;
    const found = lstatSync(one.from);
    if (found.isSymbolicLink()) symlinkSync(readlinkSync(one.from, 'buffer'), one.to);
    else if (found.isFile()) await copied(one.from, one.to);
    else if (found.isDirectory()) {
      mkdirSync(one.to, { mode: DIRECTORY_MODE });
      chmodSync(one.to, (found.mode & 0o777) | 0o700);
      for (const { name, path } of below(one.from)) left.push({ from: path, to: Buffer.concat([one.to, SLASH, name]) });
    }
  }
  return !signal.aborted;
}

/** Not all at once: this process goes on to answer its team. */
const copied = (from: Buffer, to: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    copyFile(from, to, constants.COPYFILE_FICLONE, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });

/** What the note of a tree says whose setup began and did not end. */
const BEGUN = 'begun';

/** @param setup the hash of its commands */
export const isSetUp = (disk: Disk, paths: TeamPaths, of: TreeOwner, setup: string): boolean =>
  readText(disk, paths.treeSetup(of)) === setup;

/** @param setup the hash of the commands that ended well; without one they begin */
export const noteSetup = (disk: Disk, paths: TeamPaths, of: TreeOwner, setup: string = BEGUN): void =>
  replaceFile(disk, paths.treeSetup(of), setup, newId(0).slice(-10));

/** Its setup runs again before the next task. */
export const forgetSetup = (paths: TeamPaths, of: TreeOwner): void => rmSync(paths.treeSetup(of), { force: true });

/** Whether its setup began, also if it did not end. */
export const wasSetUp = (disk: Disk, paths: TeamPaths, of: TreeOwner): boolean =>
  readText(disk, paths.treeSetup(of)) !== undefined;

/** A larger artifact that git ignores is not kept. */
export const MOST_OUTPUT_BYTES = 100 * 2 ** 20;

/** @returns a path of a tree relative to it; undefined for one that is elsewhere, or the tree itself */
export function pathInTree(paths: TeamPaths, of: TreeOwner, path: string): string | undefined {
  const way = relative(paths.tree(of), resolve(paths.tree(of), path));
  return way === '' || isAbsolute(way) || way.split('/')[0] === '..' ? undefined : way;
}

export const isInTree = (paths: TeamPaths, of: TreeOwner, path: string): boolean =>
  lstatSync(join(paths.tree(of), path), { throwIfNoEntry: false }) !== undefined;

/** Whether what is there may be kept. */
export const isKeptOutput = (paths: TeamPaths, of: TreeOwner, path: string): boolean =>
  sizeUpTo(join(paths.tree(of), path), MOST_OUTPUT_BYTES) !== undefined;

export function forgetOutputIndex(paths: TeamPaths, of: TreeOwner): void {
  for (const end of ['', '.lock']) rmSync(`${paths.outputIndex(of)}${end}`, { force: true });
}
