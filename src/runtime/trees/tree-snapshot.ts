/** The files of a tree as git has them: read into the team's repository, and made those of a commit. */
import { readyTree } from '../../store/trees/vault.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { lentIn } from './tree-needs.ts';
import { GitFailure, requireGit, stubsBelow, withoutRepositories, type TreeChange } from '../process/git-tree.ts';
import { addAndWriteTree, git, type GitWhere } from '../process/git.ts';
import { inTree, type VaultGit } from './vault.ts';

const OURS = ['.teams', '.tasks'].map((folder) => `:(exclude,top,glob)**/${folder}/**`);

/**
 * The files of a tree as a git tree.
 *
 * @param how.lend what it borrows of the project
 * @param how.from what it began from, for a tree whose index was forgotten: files that are tracked and ignored are in it
 * @param how.without what `withoutRepositories` says of the index, if it was asked since the index was made
 * @throws GitFailure
 */
export async function snapshot(
  where: GitWhere,
  how: {
    readonly lend: readonly string[];
    readonly from?: string | undefined;
    readonly without?: readonly string[] | undefined;
  },
): Promise<string> {
  const { lend, from } = how;
  if (from !== undefined) requireGit(await git(['read-tree', from], where), 'git read-tree');
  // `.teams` of the project itself stays as it was; nothing else of ours is below.
  const ours = (await notIgnored([...stubsBelow(where.cwd), ...lend], where)).map(
    (path) => `:(exclude,top,literal)${path}`,
  );
  const without = [...OURS, ...ours, ...(how.without ?? (await withoutRepositories(where)))];
  return requireGit(await addAndWriteTree(['-A', '--', ':/', ...without], where), 'git add');
}

/** Git refuses to leave out by name what it ignores anyway; a member may have changed what it ignores. */
async function notIgnored(paths: readonly string[], where: GitWhere): Promise<readonly string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const { code, said } = await git(['check-ignore', '--quiet', '--', path], where);
    if (code === 1) found.push(path);
    else if (code !== 0) throw new GitFailure(`git check-ignore: ${said}`);
  }
  return found;
}

/** Makes the files of a tree those of a git tree; ignored files stay. @throws GitFailure */
export const become = async (tree: string, where: GitWhere): Promise<string> =>
  requireGit(await git(['read-tree', '--reset', '-u', tree], where), 'git read-tree');

/** A repository within the tree would be kept as its name alone. */
export const nestedRepository = (changes: readonly TreeChange[]): string | undefined =>
  changes.find((change) => change.to?.mode === '160000' && change.from?.mode !== '160000')?.path;

/** Makes a tree that holds nothing to be kept show a commit, for gates. @throws GitFailure */
export async function showCommit(
  store: TeamStore,
  of: '.queue' | '.lead',
  commit: string,
  how: VaultGit,
): Promise<void> {
  readyTree(store.paths, of);
  const where = inTree(store.paths, of, how);
  // What gates made of tracked files goes; what git ignores stays, as in every working directory.
  await snapshot(where, { lend: lentIn(store) });
  await become(commit, where);
}
