/**
 * What of the user and of this runtime lies in a workspace: the home directory, the package (`npm install
 * teams-runtime` in a project), Node, compiled code, the user's configuration and key. A member that changed it would run
 * as the user at the next start of a shell, of git or of a process of ours, so it is protected as `.git` is.
 */
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { recordOf } from '../../model/agent/agent-kinds.ts';
import { findProgram, pathOutside } from '../../os/program-path.ts';
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { codeCacheFolder, userConfigFolder } from '../../store/user/own-folders.ts';
import { keyPath } from '../../store/user/seal.ts';
import { ensureFolder, entriesAt, homeOf, realPath } from '../../store/workspace/sandbox-host.ts';
import { loadedPackages } from '../../store/workspace/loaded-packages.ts';
import { packageRoot } from '../process/package.ts';
import { isBelow } from './lent-paths.ts';

/** What the package loads that is not in its own directory; and what that loads. */
const LOADED = ['piscina', '@napi-rs', '@opentelemetry', 'pg'];

/**
 * @param root without symbolic links
 * @returns absolute paths of directories and files; none for a member's own tree, which holds none of it
 */
export function ownProgramsIn(
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
  shown?: ShownTree,
): string[] {
  if (shown !== undefined) return [];
  const folders = [codeCacheFolder(environment), userConfigFolder(environment), dirname(keyPath(environment))];
  const isInside = (path: string): boolean => isBelow(path, root) && path !== root;
  // A folder that is missing could be made, and its first file be written by a member.
  for (const folder of folders) if (isInside(realOf(folder))) ensureFolder(folder);
  const found = [homeOf(environment), ...packagePaths(root), ...folders, process.execPath].flatMap((path) =>
    entriesAt([path]),
  );
  return [...new Set(found.map(({ path }) => path))].filter(isInside);
}

/** Where a path leads, as far as it exists. */
function realOf(path: string): string {
  const [there] = entriesAt([path]);
  return there?.path ?? (path === dirname(path) ? path : join(realOf(dirname(path)), path.slice(dirname(path).length)));
}

function packagePaths(root: string): string[] {
  const real = realPath(packageRoot);
  const own = real === root ? ['bin', 'dist', 'package.json'].map((name) => join(real, name)) : [real];
  const around: string[] = [];
  for (let at = real; isBelow(at, root); at = dirname(at)) around.push(join(at, 'node_modules'));
  return [...own, ...loadedPackages(around, LOADED)];
}

interface OwnSandbox {
  readonly spec: AgentSpec;
  /** Why the sandbox that the program brings along does not hold it; undefined if it may. */
  readonly weakness: string | undefined;
}

/**
 * A program with a sandbox of its own (Codex) runs as the user, and only its commands are held. So the program is not
 * taken from the workspace if there is one elsewhere.
 *
 * @param root without symbolic links
 */
export function programOfOwnSandbox(
  spec: AgentSpec,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): OwnSandbox {
  const { PATH = '' } = environment;
  const [name = recordOf(spec.kind).program ?? '', ...args] = spec.command ?? [];
  const isInside = (path: string | undefined): boolean =>
    entriesAt(path === undefined ? [] : [path]).some((one) => isBelow(one.path, root));
  const at = name.includes('/') ? resolve(root, name) : findProgram(name, PATH);
  const elsewhere = isInside(at) && !name.includes('/') ? findProgram(name, pathOutside(PATH, root)) : undefined;
  const chosen = elsewhere === undefined ? spec : { ...spec, command: [elsewhere, ...args] };
  return { spec: chosen, weakness: weaknessOf(isInside(elsewhere ?? at), root, environment) };
}

function weaknessOf(
  isInside: boolean,
  root: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (isInside) return 'its program lies in the workspace, which it may write';
  if (isHome(root, environment)) return HOME_IS_OPEN;
  const [own] = ownProgramsIn(root, environment);
  return own === undefined ? undefined : `it may change ${own}, which is yours or of teams`;
}

/** Nobody could work there if it were protected, as a home that lies in a workspace is. */
export const isHome = (root: string, environment: Readonly<Record<string, string | undefined>>): boolean =>
  realPath(homeOf(environment)) === root;

/** Why a sandbox does not hold whose workspace is the home directory. */
export const HOME_IS_OPEN =
  'the workspace is your home directory, and what your shell and git run there can be changed';
