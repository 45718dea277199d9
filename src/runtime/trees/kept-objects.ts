/** Commits that stay: their objects lie in the team's own repository before a ref names them. */
import { bundlePath, freeRef, hasOwnObject, removeBundle } from '../../store/trees/vault.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { requireGit } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { moveRef } from './vault-commits.ts';

interface NewObjects {
  readonly commit: string;
  /** A commit that was looked at before; without one, what the project's objects have stays there. */
  readonly known?: string | undefined;
  /** What the commit has and the known one has not, if that was looked at: git is asked otherwise. */
  readonly objects?: readonly string[] | undefined;
}

/**
 * Sees to it that a commit is whole, and stays so. Git does not write again what the project's objects have, and the
 * project's own git may remove it there; so what is new is copied.
 *
 * @throws GitFailure
 */
export async function holdObjects(paths: TeamPaths, what: NewObjects, where: GitWhere): Promise<void> {
  const { commit, known } = what;
  const fresh = what.objects ?? (await newObjects(what, where));
  if (known !== undefined && !fresh.every((object) => hasOwnObject(paths, object)))
    await copyObjects(paths, { commit, known }, where);
}

async function newObjects({ commit, known }: NewObjects, where: GitWhere): Promise<readonly string[]> {
  const since = known === undefined ? [] : ['--not', known];
  const whole = await git(['rev-list', '--objects', '--no-object-names', commit, ...since], where);
  return requireGit(whole, 'git rev-list').split('\n').filter(Boolean);
}

/**
 * Sets refs to a commit that is whole: a ref to what is gone would make each later copy fail.
 *
 * @param refs of which no lock of a killed git is left
 * @throws GitFailure
 */
export async function keepCommit(
  paths: TeamPaths,
  { refs, ...what }: NewObjects & { readonly refs: readonly string[] },
  where: GitWhere,
): Promise<void> {
  await holdObjects(paths, what, where);
  for (const ref of refs) await moveRef(paths, ref, { to: what.commit }, where);
}

async function copyObjects(
  paths: TeamPaths,
  { commit, known }: { readonly commit: string; readonly known: string },
  where: GitWhere,
): Promise<void> {
  const bundle = bundlePath(paths, commit);
  // A bundle takes only refs. This one is not below those of the team, which are copied into the project.
  const ref = `refs/copied/${commit}`;
  freeRef(paths, ref);
  try {
    await moveRef(paths, ref, { to: commit }, where);
    requireGit(await git(['bundle', 'create', '--quiet', bundle, ref, `^${known}`], where), 'git bundle');
    requireGit(await git(['bundle', 'unbundle', bundle], where), 'git bundle');
  } finally {
    removeBundle(bundle);
    await git(['update-ref', '-d', ref], where);
  }
}
