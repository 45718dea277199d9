/** What an isolation shows of the host. */

/** A file or directory of the host, and its path inside. */
export interface LentPath {
  readonly from: string;
  readonly at: string;
}

/** A tree of a member's own, which is shown where the project lies: absolute paths and caches by path are right there. */
export interface ShownTree {
  /** The path at which its files are shown. */
  readonly at: string;
  /** Objects of git that its repository stands on; they lie below folders that appear empty. */
  readonly behind: readonly LentPath[];
  /** What it borrows of the project, relative to the root of both; read-only. */
  readonly lend: readonly string[];
}

/** A path of the host as a command sees it. */
export function shownPath(path: string, root: string, shown: ShownTree | undefined): string {
  if (shown === undefined) return path;
  return path === root || path.startsWith(`${root}/`) ? `${shown.at}${path.slice(root.length)}` : path;
}

/** The path of the host of what a command sees at a path: the other way round. */
export function hostPath(path: string, root: string, { at }: ShownTree): string {
  const isBelow = (directory: string): boolean => path === directory || path.startsWith(`${directory}/`);
  // The tree itself lies below the project.
  return isBelow(at) && !isBelow(root) ? `${root}${path.slice(at.length)}` : path;
}

/** What a user lends, besides what is needed anyway. */
export interface LentPaths {
  readonly read: readonly LentPath[];
  readonly write: readonly LentPath[];
}
