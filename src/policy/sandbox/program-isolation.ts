/**
 * The fence around a program that works as its user does (SPEC §8 "Permissions"): it sees all that its user sees and
 * reaches the network, its login and its team, and changes files only where its sandbox says so. It holds what programs do
 * in the ordinary way; what a program is told by a model through our own tools stands behind the wall of `yard.ts`.
 */
import type { Sandbox } from '../../model/agent/agent.ts';
import { recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { IsolationSetting } from './shell-isolation.ts';

export interface ProgramSandbox {
  /** The workspace, without links. */
  readonly root: string;
  readonly isWritable: boolean;
  /** What is writable besides, without links: the team's folders, a login that is renewed, temporary files. */
  readonly shared: readonly string[];
}

/**
 * Whether a fence is wanted. A command of the user's own is fenced where somebody asked for it: by a sandbox, by a role
 * that only looks, by `required`; Codex brings its own, and tools that we carry out have the wall.
 *
 * @param isAsked the sandbox is somebody's word: not taken by default, nor guessed as a relay does from the words of its task
 */
export function wantsIsolation(
  kind: AgentKind,
  { sandbox, isAsked, setting }: { sandbox: Sandbox; isAsked: boolean; setting: IsolationSetting },
): boolean {
  const held = recordOf(kind).sandbox;
  if (setting === 'off' || sandbox === 'full' || held === 'itself' || held === 'tools') return false;
  // Nobody knows where any program that speaks a protocol keeps its sessions and its login: mostly in the user's home.
  if (kind === 'acp') return setting === 'required';
  return kind !== 'exec' || isAsked || setting === 'required';
}

/**
 * @param bwrap the program
 * @param argv what runs in the fence
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
  // Of users of its own: so nobody mounts anew what is read-only, or goes through the files of a process outside, root neither.
  '--unshare-user',
  '--',
  ...argv,
];

/** What the workspace lies in comes before it, or it would cover it. */
const isAbove = (path: string, root: string): boolean => root === path || root.startsWith(`${path}/`);
