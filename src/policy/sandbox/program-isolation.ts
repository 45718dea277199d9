/**
 * Bubblewrap around a whole agent program that runs with its user's rights (docs/specification.md R7.7). The program
 * sees all files of its user and reaches the network, its login and its team. It changes files only where its sandbox
 * allows it. It limits a program's normal behaviour; commands that a model runs through our own tools have the stricter
 * `shell-isolation.ts`.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { IsolationSetting } from './shell-isolation.ts';

export interface ProgramSandbox {
  /** The workspace, without symbolic links. */
  readonly root: string;
  readonly isWritable: boolean;
  /** Further writable paths, without symbolic links: the team's folders, a login that is renewed, temporary files. */
  readonly shared: readonly string[];
}

/**
 * Whether a program is isolated. A user's own command is isolated only on request: by a sandbox, by a read-only role,
 * or by `required`. Codex brings its own isolation, and tools that the runtime carries out have shell isolation.
 *
 * @param isAsked the user set the sandbox: it is not a default and not guessed from the words of a relay task
 */
export function wantsIsolation(
  kind: AgentKind,
  { sandbox, isAsked, setting }: { sandbox: Sandbox; isAsked: boolean; setting: IsolationSetting },
): boolean {
  const held = recordOf(kind).sandbox;
  if (setting === 'off' || sandbox === 'full' || held === 'itself' || held === 'tools') return false;
  // The places where an arbitrary ACP program keeps its sessions and login are unknown, mostly in the user's home.
  if (kind === 'acp') return setting === 'required';
  return kind !== 'exec' || isAsked || setting === 'required';
}

/**
 * @param bwrap path of the bubblewrap program
 * @param argv the command that runs isolated
 */
export const isolatedProgramArgv = (
  bwrap: string,
  { root, isWritable, shared }: ProgramSandbox,
  argv: readonly string[],
): string[] => [
  bwrap,
  '--ro-bind',
  '/',
  '/',
  '--dev-bind',
  '/dev',
  '/dev',
  ...shared.filter((path) => isAbove(path, root)).flatMap((path) => ['--bind', path, path]),
  isWritable ? '--bind' : '--ro-bind',
  root,
  root,
  ...shared.filter((path) => !isAbove(path, root)).flatMap((path) => ['--bind', path, path]),
  // A user namespace without capabilities: then even root cannot remount read-only paths or use the files of a process
  // outside. With capabilities in that namespace root could remount `/` writable.
  '--unshare-user',
  '--cap-drop',
  'ALL',
  '--',
  ...argv,
];

/** A mount of a parent directory of the workspace must come first, or it would cover the workspace. */
const isAbove = (path: string, root: string): boolean => root === path || root.startsWith(`${path}/`);
