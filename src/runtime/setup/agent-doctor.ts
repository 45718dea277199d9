/**
 * The findings of `teams doctor` about each agent: installed, logged in, reachable, as far as that is known without a
 * paid call.
 */
import { join } from 'node:path';
import process from 'node:process';
import { childEnvironment } from '../../agents/agent-registry.ts';
import { loginOf, type LoginKind } from '../../agents/logins.ts';
import { probeMcp, probeProgram } from '../../agents/programs/program-probe.ts';
import {
  AGENT_KIND_RECORDS,
  AGENT_KINDS,
  hasToolLoop,
  kindsWith,
  recordOf,
  type AgentKind,
} from '../../model/agent/agent-kinds.ts';
import { pathOutside } from '../../os/program-path.ts';
import { findOnPath } from '../../store/team/host.ts';
import { fileNames } from '../../store/user/user-file.ts';
import { availabilityOf } from '../agents/availability.ts';
import { commandLine } from '../process/package.ts';
import type { Check } from './doctor-check.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks all at once: the slowest program takes seconds to print its version. */
export const agentChecks = (root: string, environment: Environment): Promise<Check[]> =>
  Promise.all([
    commandCheck(root, environment),
    ...kindsWith('login').map((kind) => programCheck(kind, root, environment)),
    ...AGENT_KINDS.filter(hasToolLoop).map((kind) => otherCheck(kind, environment)),
    mcpCheck(root, environment),
  ]);

const fine = (name: string, found: string): Check => ({ name, ok: true, found, cure: '' });
/** Missing, but not a fault: another agent may be used. */
const absent = (name: string, found: string): Check => ({ name, ok: false, absent: true, found, cure: '' });
const ill = (name: string, found: string, cure: string): Check => ({ name, ok: false, found, cure });
const nameOf = (kind: AgentKind): string => `agent ${kind}`;

/** Members of the kind `exec`, verifications and gates: as they are run. */
async function commandCheck(cwd: string, environment: Environment): Promise<Check> {
  const env = childEnvironment('exec', { parent: environment });
  const probed = await probeProgram(['/bin/sh', '-c', 'echo ready'], { env, cwd });
  return probed.ok
    ? fine('shell commands', 'ready: plans of commands need nothing else')
    : ill('shell commands', probed.why, 'see that /bin/sh runs');
}

/** No agent is required: a missing one is no fault, but an installed one that cannot work is. */
async function programCheck(kind: LoginKind, cwd: string, environment: Environment): Promise<Check> {
  const name = nameOf(kind);
  const install = `npm install -g ${AGENT_KIND_RECORDS[kind].install.npm}`;
  const PATH = environment['PATH'] ?? '';
  // A program of the project is not started to ask for its version: a clone may have brought it.
  const path = findOnPath(kind, pathOutside(PATH, cwd));
  if (path === undefined) {
    const own = findOnPath(kind, PATH);
    return absent(name, own === undefined ? `not installed (${install})` : `only in the project (${own}), not asked`);
  }
  const env = childEnvironment(kind, { parent: environment });
  const version = await probeProgram([path], { env, cwd });
  if (!version.ok) return ill(name, `${path}: ${version.why}`, `install it again: ${install}`);
  const { found, cure } = loginFound(kind, environment);
  const all = `${version.found} (${path}), ${found}`;
  return cure === undefined ? fine(name, all) : ill(name, all, cure);
}

/** The login that it will use. Whether a key is valid would need a call. */
function loginFound(kind: LoginKind, environment: Environment): { found: string; cure?: string } {
  const { keys, directory, files, cure, isOptional, inKeychain } = loginOf(kind, environment);
  const key = keys.find((name) => (environment[name] ?? '') !== '');
  if (key !== undefined) return { found: `key in ${key}` };
  const there = fileNames(directory);
  const file = files.find((one) => there.includes(one));
  if (file !== undefined) return { found: `login in ${join(directory, file)}` };
  // Some of opencode's models need no login; macOS keeps Claude's login in its keychain.
  if (isOptional) return { found: 'no login' };
  if (inKeychain && process.platform === 'darwin') return { found: 'login perhaps in the keychain' };
  return { found: 'no login', cure };
}

/** A missing key or server is no fault, unless its program is installed and has no other use. */
async function otherCheck(kind: AgentKind, environment: Environment): Promise<Check> {
  const { isAvailable, found } = await availabilityOf({ kind }, environment);
  const { program } = recordOf(kind);
  const isInstalled = program !== undefined && findOnPath(program, environment['PATH'] ?? '') !== undefined;
  if (isAvailable) return fine(nameOf(kind), found);
  return isInstalled
    ? ill(nameOf(kind), found, 'start it with `ollama serve`, or set OLLAMA_HOST')
    : absent(nameOf(kind), found);
}

/** Starts our own MCP server as an agent's program would. */
async function mcpCheck(cwd: string, environment: Environment): Promise<Check> {
  const env = childEnvironment('exec', { parent: environment, envPass: ['XDG_STATE_HOME', 'XDG_CONFIG_HOME'] });
  const probed = await probeMcp(commandLine('mcp', '--root', cwd), { env, cwd });
  return probed.ok
    ? fine('mcp server', `shakes hands, ${probed.found}`)
    : ill('mcp server', probed.why, 'run `teams mcp` by hand and read what it says');
}
