/** The working trees of a repository. */
import { join } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { git, type GitWhere } from './git.ts';
import type { Repository } from './git-place.ts';
import { requireGit } from './git-tree.ts';

export interface Worktree {
  readonly path: string;
  /** Its files are here. */
  readonly isHere: boolean;
}

/** @throws GitFailure */
export async function worktreesOf({ top, place }: Repository, where: GitWhere): Promise<Worktree[]> {
  const listed = requireGit(await git(['worktree', 'list', '--porcelain'], where), 'git worktree list');
  // Where the git directory lies elsewhere, git lists that one in place of the main working tree.
  const others = listed.split('\n\n').slice(place.directory === place.common ? 1 : 0);
  const paths = others
    .filter((block) => !/^bare$/m.test(block))
    .map((block) => /^worktree (.*)/.exec(block)?.[1] ?? '');
  return [...new Set([top, ...paths])].map((path) => ({ path, isHere: isThere(join(path, '.git')) }));
}

export function isThere(path: string): boolean {
  try {
    return lookAt(realDisk, path) !== undefined;
  } catch (error) {
    if (isTeamError(error)) return false;
    throw error;
  }
}
