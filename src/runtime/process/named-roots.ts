/**
 * Where the team of a ref lies, as the messages of its commits say. Several roots may use one repository, and a copied
 * root in it has a team of the same ULID.
 */
import { resolve } from 'node:path';
import { teamsAt } from '../../store/team/teams-at.ts';
import type { GitWhere } from './git.ts';
import type { Repository } from './git-place.ts';
import { rootIn } from './safety-ref.ts';
import { worktreesOf } from './worktrees.ts';

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
