/**
 * Repositories in the folders of a workspace. The user's git goes into those that the index names, and runs what their
 * configuration says; so does git of a person who works in one.
 */
import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import { entriesAt, linkAt } from './sandbox-host.ts';

const MOST_REPOSITORIES = 64;
const MOST_FOLDERS = 2_000;
const DEEPEST = 4;
/** No work of the user is there, and many folders. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/**
 * @param root without symbolic links
 * @param linked repositories that the index names, relative to the root: they count although nothing is there yet
 * @returns the absolute paths of each `.git`, at most 64: those of the index, then those found in a limited search
 */
export function nestedGits(root: string, linked: readonly string[]): string[] {
  const named = linked.map((path) => join(root, path)).filter((path) => isFolder(path) && path !== root);
  return [...new Set([...named, ...repositoriesBelow(root)])]
    .slice(0, MOST_REPOSITORIES)
    .map((path) => join(path, '.git'));
}

interface HeldPlace {
  readonly path: string;
  /** Device and inode; undefined for a `.git` that is not there yet, in a folder that is. */
  readonly id: string | undefined;
  /** It is a folder on the way to what is held, and not below it: as a mount of its own it cannot be moved away. */
  readonly isOpen: boolean;
}

/** What has to be held so that no `.git` can be exchanged, outermost first; nothing to which a link leads. */
export function heldPlaces(root: string, gits: readonly string[]): HeldPlace[] {
  const paths = new Set(gits.flatMap((path) => [...foldersTo(root, path), path]));
  return [...paths].flatMap((path): HeldPlace[] => {
    const isOpen = !gits.some((git) => path === git || path.startsWith(`${git}/`));
    const [there] = entriesAt([path]);
    if (there === undefined)
      return !isOpen && linkAt(path) === undefined && isFolder(dirname(path)) ? [{ path, id: undefined, isOpen }] : [];
    return there.path === path ? [{ path, id: there.id, isOpen }] : [];
  });
}

/** The folders between a workspace and a path in it, outermost first. */
function foldersTo(root: string, path: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(path); at.length > root.length; at = dirname(at)) folders.unshift(at);
  return folders;
}

/** A directory that no link leads to. */
const isFolder = (path: string): boolean => entriesAt([path]).some((one) => one.isDirectory && one.path === path);

/** Breadth first: what is near the root is found first. */
function repositoriesBelow(root: string): string[] {
  const found: string[] = [];
  let [level, looked] = [[root], 0];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      if (looked >= MOST_FOLDERS || found.length >= MOST_REPOSITORIES) return found;
      looked += 1;
      if (folder !== root && hasGit(folder)) found.push(folder);
      for (const entry of entriesOf(folder))
        if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) next.push(join(folder, entry.name));
    }
    level = next;
  }
  return found;
}

function hasGit(folder: string): boolean {
  try {
    return lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
  } catch {
    // It is no folder any more, or no command of this user can look into it either.
    return false;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // No command of this user can look at it either.
    return [];
  }
}
