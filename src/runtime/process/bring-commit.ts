/**
 * Brings a commit that was made apart into the project's repository, together with its ref. The user's own `git gc` may
 * run at any moment: objects without a ref are garbage to it, and a ref without its objects makes it fail. So git gets
 * the commit as a fetch: it locks the pack until the ref is there, and sets no ref to what is not whole.
 */
import { join, resolve } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { borrowObjects, quotedForGit } from '../../store/files/scratch.ts';
import { emptyObjects, putPacks, removeObjects } from '../../store/workspace/whole-packs.ts';
import { within, type Repository } from './git-place.ts';
import { git, type GitAnswer, type GitWhere } from './git.ts';
import { GitFailure, requireGit } from './git-tree.ts';

const FETCH_LOCALLY = [
  '-c',
  'fetch.unpackLimit=1',
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-prune',
  '--no-auto-maintenance',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
];

const WHO = { NAME: 'teams', EMAIL: 'teams@localhost' };
/** Who makes our commits, as variables of git. */
export const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((as) => Object.entries(WHO).map(([key, value]) => [`GIT_${as}_${key}`, value])),
);

/** Git may read what lies on this machine. */
export const LOCALLY = { GIT_ALLOW_PROTOCOL: 'file' };

/**
 * @param scratch the directory of the objects that were made apart
 * @param where how git runs for the project
 * @throws GitFailure
 */
export async function bringCommit(
  scratch: string,
  { commit, ref }: { readonly commit: string; readonly ref: string },
  repository: Repository,
  where: Omit<GitWhere, 'cwd'>,
): Promise<void> {
  const from = join(scratch, 'apart.git');
  const { env, ...how } = where;
  const apart = { ...how, cwd: scratch, isOurs: true, env: { GIT_DIR: from } };
  const format = commit.length === 64 ? 'sha256' : 'sha1';
  requireGit(await git(['init', '--quiet', '--bare', '--template=', `--object-format=${format}`], apart), 'git init');
  borrowObjects(from, [scratch, resolve(repository.top, repository.place.objects)]);
  requireGit(await git(['update-ref', ref, commit], apart), 'git update-ref');
  const project = within(repository, { ...how, env: { ...env, ...LOCALLY } });
  const by = ref.split('/').slice(0, 3).join('/');
  const what = { from, refs: `+${ref}:${ref}`, apart: join(scratch, 'incoming'), by };
  requireGit(await fetchWhole(what, repository, project), 'git fetch');
}

interface LocalFetch {
  /** A repository of ours. */
  readonly from: string;
  readonly refs: string;
  /** A directory that is made for it, and removed. */
  readonly apart: string;
  /** Whose refs they are: one fetch of a name at a time. */
  readonly by: string;
}

/**
 * Gets refs with their objects. Where the disk is full, git leaves the half of a pack in the repository, which nobody
 * removes for two weeks. So the objects are fetched apart first, and put into the project as a whole; then git only has
 * to look at them and to set the refs.
 *
 * @throws GitFailure if the disk fails
 */
export async function fetchWhole(
  { from, refs, apart, by }: LocalFetch,
  repository: Repository,
  project: GitWhere,
): Promise<GitAnswer> {
  const env = {
    ...project.env,
    GIT_OBJECT_DIRECTORY: apart,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedForGit(repository.objects),
  };
  try {
    emptyObjects(apart);
    const fetched = await git([...FETCH_LOCALLY, '--dry-run', from, refs], { ...project, env });
    if (fetched.code !== 0) return fetched;
    const unlock = putPacks(apart, repository.objects, by);
    try {
      return await git([...FETCH_LOCALLY, from, refs], project);
    } finally {
      unlock();
    }
  } catch (error) {
    if (!isTeamError(error)) throw error;
    throw new GitFailure(error.message);
  } finally {
    removeObjects(apart);
  }
}
