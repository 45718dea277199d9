/**
 * Bubblewrap around a whole agent program (docs/specification.md R7.7). The program sees an allow list: the system, the
 * user's toolchains, its workspace, a home of its own, temporary files of its own. The team's folders, the user's key
 * and other homes are not there; the program reaches its team by one socket. Commands that a model runs through our own
 * tools have `shell-isolation.ts`.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import { filtering } from './call-filter.ts';
import { provingMounts } from './proved-mounts.ts';
import { defined } from '../../model/text/defined.ts';
import { shownPath, type LentPath, type LentPaths, type ShownTree } from './lent-path.ts';
import { leavesOwnSandbox } from './sandbox-enforcement.ts';
import type { IsolationSetting } from './shell-isolation.ts';

/** Where the program finds what the runtime lends it. */
export const INSIDE = { socket: '/run/teams/s/sock', sockets: '/run/teams/s', client: '/run/teams/bin' } as const;

/** A path in the workspace that the program may not make or change. */
export interface KeptPath {
  readonly path: string;
  /** Device and inode of what is there; absent for a cover that is not borrowed of the project. */
  readonly id?: string;
  /** What covers a name: what a tree borrows, or for a missing one a file or a directory of the host, or an empty directory. Absent for a name that exists. */
  readonly cover?: { readonly from: string } | 'directory';
  /** Only its place is kept, since a name in it is kept: as a mount it cannot be moved away. */
  readonly isOpen?: boolean;
}

/**
 * Names in a workspace that may not be made: they make a program of the user's start something, or hold keys. A missing
 * one is covered by what says nothing to the programs that read it: a file with this text, or an empty directory.
 */
export const KEPT_FILES: Readonly<Record<string, string>> = {
  '.mcp.json': '{"mcpServers": {}}\n',
  'opencode.json': '{}\n',
  'opencode.jsonc': '{}\n',
  '.env': '',
  '.env.local': '',
};
/** Files in a directory that covers a missing one: opencode ends if it finds no `.gitignore` there and cannot write it. */
export const COVER_CONTENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '.opencode': { '.gitignore': 'node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n' },
};
const KEPT_DIRECTORIES: readonly string[] = ['.git', '.claude', '.codex', '.gemini', '.opencode', '.vscode'];
export const KEPT_NAMES: readonly string[] = [...KEPT_DIRECTORIES, ...Object.keys(KEPT_FILES)];

export const isKept = (name: string): boolean => KEPT_NAMES.includes(name) || name.startsWith('.env');

/** What differs between the starts of one isolation. */
export interface ProgramSandboxNow {
  /** The sandbox at present: read-only while a plan is pending. */
  readonly sandbox?: Sandbox | undefined;
  /** Without a network: a command that judges the work of others. */
  readonly isOffline?: boolean;
}

/**
 * Wraps an argv in an isolation. Of `env`, the variables that name files of a task make these readable, and those of the
 * loader are set inside: start it {@link withoutLoader} them.
 */
export type ProgramIsolate = (
  argv: readonly string[],
  env?: Readonly<Record<string, string | undefined>>,
  now?: ProgramSandboxNow,
) => readonly string[];

export interface ProgramSandbox {
  /** The workspace, without symbolic links. */
  readonly root: string;
  /** It is a member's own tree, and is shown elsewhere. */
  readonly shown?: ShownTree | undefined;
  readonly isWritable: boolean;
  /** No network at all. */
  readonly isOffline: boolean;
  /** The user's home: the member's own directory lies at its path. */
  readonly home: string;
  readonly ownHome: string;
  /** Links of the system, such as `/bin` to `usr/bin`. */
  readonly links: readonly { readonly to: string; readonly at: string }[];
  /** Read-only: the system, toolchains, users of the machine, the client of the broker. */
  readonly lent: readonly LentPath[];
  /** Writable files of the host: a login that its program renews. */
  readonly shared: readonly string[];
  /** What the user lends: read-only, and writable. */
  readonly lend: LentPaths;
  /** The repository that the workspace is a part of; read-only. */
  readonly repositories: readonly string[];
  readonly kept: readonly KeptPath[];
  /** Directories that appear empty. */
  readonly hidden: readonly string[];
  /** It runs no command of anybody: a workspace that changes meanwhile must not look like a weak isolation. */
  readonly isProbe?: boolean;
  /** Read-only, below a hidden directory: the files of a task. */
  readonly handed: readonly string[];
  /** This process is root: the program gets another uid, and the kernel's switches are read-only. */
  readonly isRoot: boolean;
  /** The argv that closes inherited descriptors; empty if there are none. */
  readonly closing: readonly string[];
  /** The file with the filter of system calls, where there is one for this machine. */
  readonly filter: string | undefined;
  /** Variables that are set inside only. */
  readonly inside: Readonly<Record<string, string>>;
  /** The argv that sets limits inside. */
  readonly limiting: readonly string[];
}

const LACKS =
  /no such file|not found|read-only file system|permission denied|connection refused|\b(?:ENOENT|EROFS|EACCES|ECONNREFUSED)\b/i;

/**
 * @param message why a program that was isolated failed
 * @returns the same with the cure, if it may have lacked something
 */
export const withLendHint = (message: string): string =>
  LACKS.test(message)
    ? `${message} (it ran isolated: \`sandbox.lend\` lends it more paths and sockets, \`sandbox: full\` gives it all rights)`
    : message;

/** The uid and gid of a program whose user is root. */
export const INSIDE_ROOT = 1000;

/**
 * Whether a program is isolated. A user's own command is isolated only on request: by a sandbox, by a read-only role,
 * or by `required`. Codex brings its own isolation, and tools that the runtime carries out have shell isolation. Where a
 * person is asked, Codex runs again without its own isolation what was allowed and what that refused: so it gets ours.
 *
 * @param isAsked the user set the sandbox: it is not a default and not guessed from the words of a relay task
 * @param asksPerson a person is asked before it changes something
 */
export function wantsIsolation(
  kind: AgentKind,
  { sandbox, isAsked, setting, asksPerson = false }: WantedIsolation,
): boolean {
  const held = recordOf(kind).sandbox;
  if (setting === 'off' || sandbox === 'full' || held === 'tools') return false;
  if (held === 'itself') return asksPerson && leavesOwnSandbox(kind, sandbox);
  // The places where an arbitrary ACP program keeps its sessions and login are unknown, mostly in the user's home.
  if (kind === 'acp') return setting === 'required';
  return kind !== 'exec' || isAsked || setting === 'required';
}

interface WantedIsolation {
  readonly sandbox: Sandbox;
  readonly isAsked: boolean;
  readonly setting: IsolationSetting;
  readonly asksPerson?: boolean;
}

const MIB = 2 ** 20;
/** Temporary file systems of the program's own, in MiB. */
const SCRATCH: readonly (readonly [string, number])[] = [
  ['/run', 16],
  ['/tmp', 1024],
  ['/var/tmp', 256],
  ['/dev/shm', 256],
];

/**
 * The order matters: a later mount covers an earlier one.
 *
 * @param bwrap path of the bubblewrap program
 * @param argv the command that runs isolated
 */
export const isolatedProgramArgv = (bwrap: string, sandbox: ProgramSandbox, argv: readonly string[]): string[] => [
  ...sandbox.closing,
  ...filtering(bwrap, sandbox.filter),
  ...namespaces(sandbox),
  ...sandbox.links.flatMap(({ to, at }) => ['--symlink', to, at]),
  '--proc',
  '/proc',
  // For root, /proc/sys is writable without any capability.
  ...(sandbox.isRoot ? ['--ro-bind', '/proc/sys', '/proc/sys'] : []),
  '--dev',
  '/dev',
  ...SCRATCH.flatMap(([path, mebibytes]) => ['--size', String(mebibytes * MIB), '--tmpfs', path]),
  '--symlink',
  '/run',
  '/var/run',
  '--bind',
  sandbox.ownHome,
  sandbox.home,
  ...sandbox.lent.flatMap(({ from, at }) => ['--ro-bind', from, at]),
  ...sandbox.shared.flatMap((path) => ['--bind', path, path]),
  ...sandbox.lend.read.flatMap(({ from, at }) => ['--ro-bind', from, at]),
  ...sandbox.lend.write.flatMap(({ from, at }) => ['--bind', from, at]),
  ...sandbox.repositories.flatMap((path) => ['--ro-bind', path, path]),
  sandbox.isWritable ? '--bind' : '--ro-bind',
  sandbox.root,
  inside(sandbox, sandbox.root),
  ...sandbox.kept.flatMap((one) => keep(one, inside(sandbox, one.path))),
  ...covers(sandbox),
  '--setenv',
  'TMPDIR',
  '/tmp',
  ...Object.entries(sandbox.inside).flatMap(([name, value]) => ['--setenv', name, value]),
  '--remount-ro',
  '/dev',
  '--remount-ro',
  '/',
  ...(sandbox.shown === undefined ? [] : ['--chdir', sandbox.shown.at]),
  '--',
  ...(sandbox.isProbe === true ? [] : provingMounts(mustBeMounted(sandbox))),
  ...sandbox.limiting,
  ...argv,
];

/** The mounts that lie in the program's own home, each with the path of what is mounted; what is below another is not named. */
export function mountsAtHome(sandbox: ProgramSandbox): LentPath[] {
  const { home, ownHome, lent, shared, lend, repositories, root } = sandbox;
  const same = [...shared, ...repositories, ownHome].map((path) => ({ from: path, at: path }));
  const found = [...lent, ...lend.read, ...lend.write, ...same, { from: root, at: inside(sandbox, root) }].filter(
    ({ at }) => at.startsWith(`${home}/`),
  );
  return found.filter(({ at }) => !found.some((other) => at.startsWith(`${other.at}/`)));
}

/** No capabilities in a user namespace: then even root cannot remount, or use the files of a process outside. */
const namespaces = ({ isRoot, isOffline }: ProgramSandbox): string[] => [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  ...(isOffline ? ['--unshare-net'] : []),
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--new-session',
  ...(isRoot ? ['--uid', String(INSIDE_ROOT), '--gid', String(INSIDE_ROOT)] : []),
];

/** A path of the host as the program sees it. */
const inside = ({ root, shown }: Pick<ProgramSandbox, 'root' | 'shown'>, path: string): string =>
  shownPath(path, root, shown);

/** Also what hides the team: a link on the way to the workspace would have it mounted elsewhere. */
const mustBeMounted = (sandbox: ProgramSandbox): readonly Pick<KeptPath, 'path' | 'id'>[] =>
  [
    ...sandbox.kept.filter(({ path }) => !sandbox.hidden.includes(path)),
    ...[sandbox.root, ...sandbox.hidden].map((path) => ({ path, id: undefined })),
  ].map(({ path, id }) => ({ path: inside(sandbox, path), ...defined({ id }) }));

const keep = ({ path, cover, isOpen = false }: KeptPath, at: string): string[] =>
  cover === 'directory'
    ? ['--size', '4096', '--tmpfs', at, '--remount-ro', at]
    : [isOpen ? '--bind' : '--ro-bind', cover?.from ?? path, at];

/** Hidden directories, and what of them is there after all: the member's own home and the files of its task. */
function covers(sandbox: ProgramSandbox): string[] {
  const { handed, ownHome, shown } = sandbox;
  const hidden = sandbox.hidden.map((path) => inside(sandbox, path));
  const isHidden = (path: string): boolean => hidden.some((one) => path.startsWith(`${one}/`));
  return [
    ...hidden.flatMap((path) => ['--size', '65536', '--tmpfs', path]),
    '--bind',
    ownHome,
    ownHome,
    ...handed.filter(isHidden).flatMap((path) => ['--ro-bind', path, path]),
    ...(shown?.behind ?? []).flatMap(({ from, at }) => ['--ro-bind', from, at]),
    ...hidden.flatMap((path) => ['--remount-ro', path]),
  ];
}
