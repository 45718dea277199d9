/** What a tree borrows of the project, as both are at the moment of a start. */
import { dirname, join } from 'node:path';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { entriesAt, linkAt } from '../../store/workspace/sandbox-host.ts';

/** A file or directory of the project that is mounted in a tree, read-only. */
interface TreeLend {
  /** In the tree. */
  readonly path: string;
  /** In the project, without links. */
  readonly from: string;
  /** Device and inode of what is there, as `stat -c %d:%i` prints them. */
  readonly id: string;
}

/**
 * What the project does not have is left out, and what has no place in the tree: bubblewrap would make one, and follow
 * links while it does so.
 *
 * @param root the tree, without symbolic links
 */
export function treeLends(root: string, shown: ShownTree | undefined): TreeLend[] {
  if (shown === undefined) return [];
  return shown.lend.flatMap((lent) => {
    const path = join(root, lent);
    const [found] = entriesAt([join(shown.at, lent)]);
    const [point] = entriesAt([path]);
    const [parent] = entriesAt([dirname(path)]);
    if (found === undefined || linkAt(path) !== undefined || parent?.path !== dirname(path)) return [];
    return point?.isDirectory === found.isDirectory ? [{ path, from: found.path, id: found.id }] : [];
  });
}
