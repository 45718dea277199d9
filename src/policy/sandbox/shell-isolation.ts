/**
 * The yard behind the wall: what a command that is held in by bubblewrap sees and touches (RELIABILITY §2 row 15). The
 * whole system is there, read-only; the workspace is writable where the sandbox says so; what holds keys, and the team's
 * own files, is empty; no network, no other processes, no sockets of the system's services.
 */
import { KEY_PLACES, hiddenFromShell } from './workspace-path.ts';

/** SPEC §13 `sandbox.bwrap`. */
export type IsolationSetting = 'auto' | 'required' | 'off';

/** Something that is there, without links. */
interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
}

export interface ShellSurroundings {
  /** The workspace, without links. */
  readonly root: string;
  readonly isWritable: boolean;
  /** What is directly in the workspace, by name; links count by what they lead to. */
  readonly inRoot: ReadonlyMap<string, Entry>;
  /** Of git's files in the workspace those that make git run something. */
  readonly ofGit: readonly Entry[];
  /** What holds keys outside the workspace. */
  readonly keys: readonly Entry[];
}

/** Below a user's home. */
export const HOME_KEYS: readonly string[] = [
  ...KEY_PLACES,

  '.kube',
  '.docker',
  '.azure',
  '.password-store',
  '.claude.json',
  '.local/share/keyrings',
  '.local/share/opencode',
  '.config/gcloud',
  '.config/gh',
  '.config/opencode',
  '.config/claude',
  '.mozilla',
  '.thunderbird',
];
/** Below `.git`. */
export const GIT_STARTERS: readonly string[] = ['hooks', 'config', 'config.worktree', 'modules'];

/** Empty inside, and gone with the command. What services listen on is below /run: a read-only mount would not keep it. */
const SCRATCH: readonly string[] = ['/tmp', '/var/tmp', '/run'];
const TMP = '/tmp';

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);

/** Whether a path is one that the yard shows as it is, for a probe that tries to write there. */
export const isVisible = (path: string, root: string): boolean =>
  !isBelow(path, root) && !SCRATCH.some((directory) => isBelow(path, directory));

/**
 * @param bwrap the program
 * @param argv what runs behind the wall
 */
export function isolatedShellArgv(bwrap: string, surroundings: ShellSurroundings, argv: readonly string[]): string[] {
  const { root, isWritable } = surroundings;
  return [
    bwrap,
    '--unshare-all',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    // For root what is below /proc/sys is writable without any capability.
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--remount-ro',
    '/proc',
    '--dev',
    '/dev',
    ...SCRATCH.flatMap((directory) => ['--tmpfs', directory]),
    isWritable ? '--bind' : '--ro-bind',
    root,
    root,
    ...gitItself(surroundings),
    ...hidden(surroundings).flatMap(hide),
    ...kept(surroundings).flatMap(({ path }) => ['--ro-bind', path, path]),
    '--setenv',
    'TMPDIR',
    TMP,
    '--setenv',
    'XDG_CACHE_HOME',
    `${TMP}/cache`,
    '--chdir',
    root,
    '--',
    ...argv,
  ];
}

/** A mount of its own cannot be moved away, to put another in its place. A file there only names the real one. */
function gitItself({ root, isWritable, inRoot }: ShellSurroundings): string[] {
  const git = inRoot.get('.git');
  if (git === undefined || !isBelow(git.path, root)) return [];
  return [isWritable && git.isDirectory ? '--bind' : '--ro-bind', git.path, git.path];
}

/** What is nowhere to be seen anyway needs no cover, and what the workspace lies in cannot have one. */
function hidden({ root, inRoot, keys }: ShellSurroundings): Entry[] {
  const own = [...inRoot].filter(([name]) => hiddenFromShell(name) === 'hidden').map(([, entry]) => entry);
  const isCoverable = ({ path }: Entry): boolean =>
    !isBelow(root, path) && (isBelow(path, root) || isVisible(path, root));
  return [...own, ...keys].filter(isCoverable);
}

const hide = ({ path, isDirectory }: Entry): string[] =>
  isDirectory ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];

const kept = ({ root, inRoot, ofGit }: ShellSurroundings): Entry[] =>
  [...[...inRoot].filter(([name]) => hiddenFromShell(name) === 'kept').map(([, entry]) => entry), ...ofGit].filter(
    ({ path }) => isBelow(path, root) && path !== root,
  );
