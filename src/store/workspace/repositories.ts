/**
 * The repository that a workspace is a part of, if its own folder does not hold it: that of a linked worktree, or one
 * whose subdirectory the workspace is.
 */
import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { linkAt, realPath, smallText } from './sandbox-host.ts';

/** @param root the workspace, without symbolic links */
export function repositoriesOf(root: string): string[] {
  for (let at = root; ; at = dirname(at)) {
    const git = join(at, '.git');
    const kind = kindOf(git);
    if (kind !== undefined) return [...(at === root ? [] : [at]), ...(kind === 'file' ? commonDirectory(git) : [])];
    if (at === '/') return [];
  }
}

function kindOf(path: string): 'file' | 'directory' | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) return 'directory';
    return found?.isFile() === true ? 'file' : undefined;
  } catch {
    // Below a file, or not to be looked at.
    return undefined;
  }
}

/** The directory that a `.git` file names, with what all worktrees share. */
function commonDirectory(file: string): string[] {
  const named = /^gitdir: (.+)$/m.exec(smallText(file) ?? '')?.[1];
  if (named === undefined) return [];
  const git = resolve(dirname(file), named.trim());
  const common = smallText(join(git, 'commondir'))?.trim();
  // Only git's own layout, and a worktree that its repository knows: a file that a project brings along must not lend
  // other directories.
  const back = smallText(join(git, 'gitdir'))?.trim();
  if (common !== '../..' || !/\/worktrees\/[^/]+$/.test(git) || back === undefined) return [];
  if (realOr(resolve(git, back)) !== realOr(file)) return [];
  try {
    return [realPath(resolve(git, common))].filter((one) => kindOf(join(one, 'HEAD')) === 'file');
  } catch {
    return [];
  }
}

/** How deep git follows them. */
const DEEPEST = 5;

/**
 * The directories in which git also looks for objects, as `info/alternates` of an object directory names them, and as
 * those name further ones.
 */
export function borrowedObjects(objects: string): string[] {
  const found = new Set<string>();
  let level = [objects];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    level = level.flatMap(namedIn).filter((one) => !found.has(one));
    for (const one of level) found.add(one);
  }
  return [...found];
}

function namedIn(objects: string): string[] {
  const file = join(objects, 'info/alternates');
  const text = textIn(file);
  // Larger than any list that git wrote: it names itself, so that it differs from a list that was read.
  if (text === undefined) return kindOf(file) === 'file' ? [file] : [];
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => realOr(resolve(objects, line)));
}

/** The text of a small file that is mostly missing: a look is cheaper than a call that is refused. */
const textIn = (file: string): string | undefined => (isMissing(file) ? undefined : smallText(file));

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function realOr(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/** What of a workspace says where git works: two different texts mean that it may work elsewhere now. */
export function gitSignpost(root: string): string {
  for (let at = root; ; at = dirname(at)) {
    const git = join(at, '.git');
    const kind = lstatSync(git, { throwIfNoEntry: false });
    if (kind !== undefined) {
      const named = kind.isFile() ? smallText(git) : linkAt(git);
      const parts = ['objects', 'refs', 'refs/teams'].map((part) => linkAt(join(git, part)));
      const borrowed = borrowedObjects(join(git, 'objects'));
      const trees = ['config', 'config.worktree'].map(
        (file) => textIn(join(git, file))?.match(/worktree[^\S\n]*=.*$/gim) ?? [],
      );
      return JSON.stringify([git, named, textIn(join(git, 'commondir')), parts, borrowed, trees]);
    }
    if (at === '/') return '';
  }
}
