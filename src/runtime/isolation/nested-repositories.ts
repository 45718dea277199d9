/** The repositories of a workspace's folders whose `.git` an isolation protects, as that of the workspace itself. */
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { nestedGits } from '../../store/workspace/nested-repositories.ts';
import { git } from '../process/git.ts';

const MOST_INDEX_BYTES = 64 * 1024 * 1024;
/** The mode of a repository in an index. */
const LINK = '160000 ';

/**
 * @param root without symbolic links
 * @returns the paths of each `.git`; none for a member's own tree, which holds no repositories
 */
export async function heldGits(root: string, shown?: ShownTree): Promise<string[]> {
  if (shown !== undefined) return [];
  const { signal } = new AbortController();
  // No repository: none are named.
  const { code, text } = await git(['ls-files', '--stage', '-z'], { cwd: root, signal, keptBytes: MOST_INDEX_BYTES });
  const lines = code === 0 ? text.split('\0').filter((line) => line.startsWith(LINK)) : [];
  return nestedGits(
    root,
    lines.map((line) => line.slice(line.indexOf('\t') + 1)),
  );
}
