/** Marks of a conflict that were written into an agent's tree, and that its next change still has. */
import type { Attempt } from '../../model/board/task.ts';
import { GitFailure } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';

/** Git names the commits of both sides by their whole hash, as `mergeTrees` was given them: nobody else's marks do. */
const MARK = '^(<{7}|>{7}) ([0-9a-f]{64}|[0-9a-f]{40})';

/**
 * @returns paths of the attempt that have marks and had none in the state that it began from
 * @throws GitFailure
 */
export async function markedFiles({ commit, base }: Attempt, own: GitWhere): Promise<string[]> {
  const marked = await marksIn(commit, own);
  if (marked.length === 0) return [];
  const before = new Set(await marksIn(base, own));
  return marked.filter((path) => !before.has(path));
}

async function marksIn(commit: string, own: GitWhere): Promise<string[]> {
  const { code, text, said } = await git(['grep', '-l', '-z', '--text', '-E', '-e', MARK, commit], own);
  if (code > 1 || code < 0) throw new GitFailure(`git grep: ${said}`);
  return text
    .split('\0')
    .filter(Boolean)
    .map((name) => name.slice(commit.length + 1));
}
