/**
 * The working trees of a repository, and where the team of a ref lies in them, as the messages of its commits say.
 * Several roots may use one repository, and a copied root in it has a team of the same ULID.
 */
import { join, resolve } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { teamsAt } from '../../store/team/teams-at.ts';
import { git, type GitWhere } from './git.ts';
import type { Repository } from './git-place.ts';
import { requireGit } from './git-tree.ts';
import { rootIn } from './safety-ref.ts';

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

/**
 * @returns the roots that a message names, one for each working tree
 * @throws GitFailure
 */
export async function namedRoots(
  repository: Repository,
  where: GitWhere,
): Promise<(of: { readonly message: string }) => string[]> {
  const trees = await worktreesOf(repository, where);
  return ({ message }) => {
    const named = rootIn(message);
    return named === undefined ? [] : trees.map(({ path }) => resolve(path, named));
  };
}

/** Of these roots those of another place that have a team of this ULID. */
export const otherTeams = (
  { id, root }: { readonly id: string; readonly root: string },
  roots: readonly string[],
): ReadonlySet<string> =>
  new Set([...new Set(roots)].filter((one) => one !== resolve(root) && teamsAt(one).ids.has(id)));
