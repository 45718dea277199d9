/**
 * What a command in bubblewrap sees and can change (docs/specification.md R6.6). The whole system is visible,
 * read-only. The workspace is writable if the sandbox allows it. Places with keys and the team's own files appear
 * empty. There is no network, no other process and no socket of system services.
 */
import { filtering } from './call-filter.ts';
import { shownPath, type LentPath, type LentPaths, type ShownTree } from './lent-path.ts';
import { provingMounts } from './proved-mounts.ts';
import { HIDDEN_NAMES, hiddenFromShell, protectedBy } from './workspace-path.ts';

/** The setting `sandbox.bwrap` (docs/specification.md R7.7). */
export type IsolationSetting = 'auto' | 'required' | 'off';

/** An existing path, without symbolic links. */
interface Entry {
  readonly path: string;
  readonly isDirectory: boolean;
  /** Device and inode, as `stat -c %d:%i` prints them. */
  readonly id: string;
}

export interface ShellSurroundings {
  /** The workspace, without symbolic links. */
  readonly root: string;
  readonly isWritable: boolean;
  /** It is a member's own tree, and is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
  /** What that tree borrows of the project: as paths of the tree, and what is there. */
  readonly lent?: readonly { readonly path: string; readonly from: string; readonly id: string }[] | undefined;
  /** It has the network of the host. */
  readonly hasNetwork?: boolean | undefined;
  /** Keys and environment files of the workspace can be read, as programs of members can. */
  readonly showsKeys?: boolean | undefined;
  /** Entries directly in the workspace, by name; a link counts as its target. */
  readonly inRoot: ReadonlyMap<string, Entry>;
  /** Each `.git` in its folders, and the folders on the way there: as mounts, these cannot be moved away. */
  readonly nested?: readonly { readonly path: string; readonly id: string; readonly isOpen: boolean }[];
  /** The file with the filter of system calls, where there is one for this machine. */
  readonly filter: string | undefined;
  /** Closes what the start would hand on: it comes before all else. */
  readonly closing: readonly string[];
  /** Places with keys outside the workspace. */
  readonly keys: readonly Entry[];
  /** Where TMPDIR leads, if that would be visible: it appears empty as `/tmp` does. */
  readonly temporary?: string | undefined;
  /** Files and folders below what appears empty that can be read there. */
  readonly handed?: readonly string[] | undefined;
  /** What the user lends. */
  readonly lend: LentPaths;
  /** It runs no command of anybody: a workspace that changes meanwhile must not look like a weak isolation. */
  readonly isProbe?: boolean;
}

/**
 * These are empty inside and deleted with the command. Sockets of services are below /run: a read-only mount would not
 * block them.
 */
const SCRATCH: readonly string[] = ['/tmp', '/var/tmp', '/run'];
const TMP = '/tmp';

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);

/** Whether a path is visible unchanged inside the isolation; for a probe that tries to write there. */
export const isVisible = (path: string, { root, temporary }: Place): boolean =>
  !isBelow(path, root) && !scratchOf(temporary).some((directory) => isBelow(path, directory));

type Place = Pick<ShellSurroundings, 'root' | 'temporary'>;

const scratchOf = (temporary: string | undefined): readonly string[] =>
  temporary === undefined ? SCRATCH : [...SCRATCH, temporary];

/**
 * @param bwrap path of the bubblewrap program
 * @param argv the command that runs isolated
 */
export function isolatedShellArgv(bwrap: string, surroundings: ShellSurroundings, argv: readonly string[]): string[] {
  const { root, isWritable, shown } = surroundings;
  const at = (path: string): string => shownPath(path, root, shown);
  const nested = isWritable && shown === undefined ? (surroundings.nested ?? []) : [];
  const lent = borrowed(surroundings);
  const own = kept(surroundings).filter(({ path }) => !lent.some((one) => one.path === path));
  const covered = hidden(surroundings);
  // What is covered later is another file in its place, or not there.
  const seen = nested.filter(({ path }) => !covered.some((one) => isBelow(path, one.path)));
  const proved = [...gitOf(surroundings), ...seen, ...own, ...lent].map(({ path, id }) => ({ path: at(path), id }));
  return [
    ...surroundings.closing,
    ...filtering(bwrap, surroundings.filter),
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    ...(surroundings.hasNetwork === true ? [] : ['--unshare-net']),
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    // For root, /proc/sys is writable without any capability.
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    '--remount-ro',
    '/proc',
    '--dev',
    '/dev',
    ...scratchOf(surroundings.temporary).flatMap((directory) => ['--tmpfs', directory]),
    ...coveredKeys(surroundings),
    isWritable ? '--bind' : '--ro-bind',
    root,
    at(root),
    ...gitOf(surroundings).flatMap(({ path }) => ['--ro-bind', path, at(path)]),
    ...nested.flatMap(({ path, isOpen }) => [isOpen ? '--bind' : '--ro-bind', path, path]),
    ...covered.flatMap((entry) => hide({ ...entry, path: at(entry.path) }, surroundings)),
    ...own.flatMap(({ path }) => ['--ro-bind', path, at(path)]),
    ...lent.flatMap(({ path, from }) => ['--ro-bind', from, at(path)]),
    '--setenv',
    'TMPDIR',
    TMP,
    '--setenv',
    'XDG_CACHE_HOME',
    `${TMP}/cache`,
    '--chdir',
    at(root),
    '--',
    ...(surroundings.isProbe === true ? [] : provingMounts(proved)),
    ...argv,
  ];
}

/**
 * Read-only: much of what it holds makes git run a program, and git of the user's, too. As a mount of its own it cannot
 * be moved away and replaced.
 */
function gitOf({ root, inRoot }: ShellSurroundings): Entry[] {
  const git = inRoot.get('.git');
  return git === undefined || !isBelow(git.path, root) ? [] : [git];
}

/**
 * Keys appear empty, but for what is lent of them. It is before the workspace, so that a lent directory around the
 * workspace does not replace what holds there.
 */
function coveredKeys(surroundings: ShellSurroundings): string[] {
  const { lend, root } = surroundings;
  const keys = outermost(
    surroundings.keys.filter((entry) => !isBelow(entry.path, root) && isCoverable(entry, surroundings)),
  );
  const lent = [
    ...lend.read.flatMap((one) => placesOf(one, surroundings).map((at) => ({ how: '--ro-bind', from: one.from, at }))),
    ...lend.write.flatMap((one) => placesOf(one, surroundings).map((at) => ({ how: '--bind', from: one.from, at }))),
  ];
  const isLent = (path: string): boolean => lent.some(({ at }) => at === path);
  return [
    ...keys.flatMap(({ path, isDirectory }) => (isDirectory ? ['--tmpfs', path] : coverFile(path))),
    ...lent.flatMap(({ how, from, at }) => [how, from, at]),
    // Only now, so that a place below it could be made.
    ...keys.filter((one) => one.isDirectory && !isLent(one.path)).flatMap(({ path }) => ['--remount-ro', path]),
  ];
}

/** What lies in a directory that appears empty needs no cover. */
const outermost = (entries: readonly Entry[]): Entry[] =>
  entries.filter(({ path }) => !entries.some((other) => other.path !== path && isBelow(path, other.path)));

/** A visible link leads to the place itself; one that is not visible is made. */
const placesOf = ({ from, at }: LentPath, place: Place): string[] =>
  from === at || isVisible(at, place) ? [from] : [from, at];

/** Paths of the workspace that must appear empty, and links of it to elsewhere. */
function hidden(surroundings: ShellSurroundings): Entry[] {
  const { root, inRoot, keys, showsKeys = false } = surroundings;
  const own = [...inRoot]
    .filter(([name]) => (showsKeys ? HIDDEN_NAMES.includes(name) : hiddenFromShell(name) === 'hidden'))
    .map(([, entry]) => entry);
  const all = [...own, ...keys.filter(({ path }) => isBelow(path, root))];
  return outermost(all.filter((entry) => isCoverable(entry, surroundings)));
}

/** Invisible paths need no cover, and a parent of the workspace cannot have one. */
const isCoverable = ({ path }: Entry, place: Place): boolean =>
  !isBelow(place.root, path) && (isBelow(path, place.root) || isVisible(path, place));

/** A hidden directory is empty, but for what is handed and what the tree stands on. */
function hide(
  { path, isDirectory }: Entry,
  { shown, handed = [] }: Pick<ShellSurroundings, 'shown' | 'handed'>,
): string[] {
  if (!isDirectory) return coverFile(path);
  const inside = [...handed.map((from) => ({ from, at: from })), ...(shown?.behind ?? [])];
  const there = inside.filter(({ at }) => isBelow(at, path));
  return ['--tmpfs', path, ...there.flatMap(({ from, at }) => ['--ro-bind', from, at]), '--remount-ro', path];
}

const coverFile = (path: string): string[] => ['--ro-bind', '/dev/null', path];

/** What appears empty in the project appears empty in a tree, too. */
const borrowed = ({ root, lent = [], showsKeys = false }: ShellSurroundings): NonNullable<ShellSurroundings['lent']> =>
  lent.filter(({ path }) => showsKeys || protectedBy(path.slice(root.length + 1), 'read') === undefined);

function kept({ root, inRoot, showsKeys = false }: ShellSurroundings): Entry[] {
  const isKept = (name: string): boolean => {
    const how = hiddenFromShell(name);
    return how === 'kept' || (showsKeys && how === 'hidden' && !HIDDEN_NAMES.includes(name));
  };
  const own = [...inRoot].filter(([name]) => isKept(name)).map(([, entry]) => entry);
  return own.filter(({ path }) => isBelow(path, root) && path !== root);
}
