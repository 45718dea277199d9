/**
 * Git that reads or writes the files of a member's tree, in bubblewrap. The member's program may be at work and exchange
 * a directory for a link at any moment; git looks first and opens by name afterwards. Here such a link leads nowhere:
 * nothing but the tree, the team's repository and git itself is there.
 */
export interface GitIsolation {
  /** The tree: an absolute path without links, as the others. */
  readonly tree: string;
  /** The repository of the team. */
  readonly vault: string;
  /** Where further objects are. */
  readonly objects: readonly string[];
  /** The index of the tree: a file in the repository. */
  readonly index: string;
  /** A path that nobody can guess, in which the directory of the index lies. */
  readonly place: string;
  /** The command writes files of the tree, and nothing else; otherwise it reads them, and writes objects. */
  readonly writesTree: boolean;
  /** Read-only: git itself, and the user's list of ignored files. */
  readonly lent: readonly string[];
}

/** The system's own. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc/ld.so.cache', '/etc/alternates'];

/** Directories of programs whose whole content is public. */
const SHELVES = ['/usr', '/opt', '/nix/store', '/gnu/store', '/home/linuxbrew/.linuxbrew', '/opt/homebrew', '/snap'];

/** What of an installation outside of these belongs to git: a home's `.local` also has keys. */
const PARTS = ['bin/git', 'lib', 'lib64', 'libexec/git-core', 'share/git-core'];

/** @param program the path of git, without links */
export function placesOfGit(program: string): string[] {
  const shelf = SHELVES.find((one) => program.startsWith(`${one}/`));
  const prefix = program.replace(/\/[^/]+\/[^/]+$/, '');
  return shelf === undefined ? [program, ...PARTS.map((part) => `${prefix}/${part}`)] : [shelf];
}

/**
 * @param bwrap path of the bubblewrap program
 * @param argv of git
 */
export const isolatedGitArgv = (bwrap: string, isolation: GitIsolation, argv: readonly string[]): string[] => {
  const { tree, vault, objects, index, place, writesTree, lent } = isolation;
  return [
    bwrap,
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-net',
    '--unshare-uts',
    '--cap-drop',
    'ALL',
    '--die-with-parent',
    '--new-session',
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...lent.flatMap((path) => ['--ro-bind-try', path, path]),
    '--dev',
    '/dev',
    ...objects.flatMap((path) => ['--ro-bind-try', path, path]),
    writesTree ? '--ro-bind' : '--bind',
    vault,
    vault,
    writesTree ? '--bind' : '--ro-bind',
    tree,
    tree,
    '--bind',
    directoryOf(index),
    place,
    '--setenv',
    'GIT_INDEX_FILE',
    `${place}/${nameOf(index)}`,
    '--remount-ro',
    '/',
    '--chdir',
    tree,
    '--',
    ...argv,
  ];
};

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
