/** Merges of two commits in the team's own repository. */
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git, mergeAndList, type GitAnswer, type GitWhere } from '../process/git.ts';
import { mergeByIndex, type Merged } from './merge-by-index.ts';
import { commitTree } from './vault-commits.ts';

/** What git says of words that it does not know. */
const NOT_KNOWN = 129;

/** A side that git cannot read counts as unchanged: it says so, and ends with 0. @throws GitFailure */
function requireRead({ said }: GitAnswer): void {
  if (said.startsWith('error:')) throw new GitFailure(`git merge-tree: ${said}`);
}

/** @throws GitFailure */
export async function mergeTrees(ours: string, theirs: string, where: GitWhere): Promise<Merged> {
  const answer = await git(['merge-tree', '--write-tree', '-z', '--name-only', ours, theirs], where);
  // Before 2.38 git cannot write what it merged.
  if (answer.code === NOT_KNOWN) return mergeByIndex(ours, theirs, where);
  if (answer.code !== 0 && answer.code !== 1) requireGit(answer, 'git merge-tree');
  if (answer.code < 0 || answer.code > 1) throw new GitFailure(`git merge-tree: ${answer.said}`);
  const [tree = '', ...rest] = answer.text.split('\0');
  requireRead(answer);
  if (answer.code === 0) return { tree, conflicts: [], said: [] };
  const end = rest.indexOf('');
  const said = rest.slice(end + 1).filter((word) => word.startsWith('CONFLICT'));
  return { tree, conflicts: [...new Set(rest.slice(0, end))], said: said.map((line) => line.trim()) };
}

/** A clean merge, committed. */
interface MergeCommit {
  readonly tree: string;
  readonly commit: string;
  /** What it has and `ours` has not; undefined where git was not asked. */
  readonly objects: readonly string[] | undefined;
}

interface MergeWords {
  readonly message: string;
  /** Seconds since 1970: the same merge made again is the same commit. */
  readonly date: string;
}

/**
 * Merges two commits and commits what came out, if nothing conflicts.
 *
 * @throws GitFailure
 */
export async function mergeCommit(
  ours: string,
  theirs: string,
  words: MergeWords,
  where: GitWhere,
): Promise<MergeCommit | Merged> {
  const merged = await merge(ours, theirs, where);
  if ('conflicts' in merged && merged.conflicts.length > 0) return merged;
  const { tree } = merged;
  const commit = commitTree({ tree, parents: [ours, theirs], ...words }, where);
  const objects = 'objects' in merged ? merged.objects : undefined;
  return { tree, commit, objects: objects && [commit, ...objects] };
}

interface CleanMerge {
  readonly tree: string;
  /** What `ours` has not. */
  readonly objects: readonly string[];
}

async function merge(ours: string, theirs: string, where: GitWhere): Promise<CleanMerge | Merged> {
  const answer = await mergeAndList(ours, theirs, where);
  if (answer.code === 0) {
    requireRead(answer);
    const objects = answer.text.trim().split('\n');
    return { tree: objects.pop() ?? '', objects };
  }
  if (answer.code !== 1 && answer.code !== NOT_KNOWN) requireGit(answer, 'git merge-tree');
  return mergeTrees(ours, theirs, where);
}
