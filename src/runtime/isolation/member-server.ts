/**
 * How a member's program reaches its team: the command that starts the team's MCP server, with the token that makes it
 * that member; and its environment inside of its isolation, with the socket instead.
 */
import process from 'node:process';
import type { Server } from '../../agents/agent-contract.ts';
import { INSIDE } from '../../policy/sandbox/program-isolation.ts';
import { binDirectory, commandLine } from '../process/package.ts';
import { ENV } from '../../model/text/environment.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What our own process needs besides the member's variables: the places of the user's key and configuration. */
const OURS = ['PATH', 'HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

/**
 * @param own the member's variables, as its agent gets them
 * @param parent the environment of this process
 */
export function memberServer(root: string, own: Variables, parent: Variables): Server {
  const [command, ...args] = commandLine('mcp', '--root', root);
  const env = Object.entries({ ...parent, ...own }).flatMap(([name, value]): [string, string][] => {
    const isWanted = OURS.includes(name) || (name.startsWith('TEAMS_') && name in own);
    return isWanted && value !== undefined ? [[name, value]] : [];
  });
  return { command, args, env: Object.fromEntries(env) };
}

/** The same inside the program's isolation: a pipe to the member's own process, which serves MCP there. */
export const memberServerInside = (): Server => ({
  command: process.execPath,
  args: [`${INSIDE.client}/teams`, 'mcp'],
  env: { [ENV.socket]: INSIDE.socket },
});

/** What is not there inside: the socket is the member's identity, so no token goes in, and no place of the user's key. */
const OUTSIDE: ReadonlySet<string> = new Set([ENV.token, ENV.proof, 'XDG_STATE_HOME']);

/** The environment of a program in its isolation. */
export function insideEnvironment(environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const rest = Object.entries(environment).filter(([name]) => !OUTSIDE.has(name));
  const path = (environment['PATH'] ?? '').split(':').map((entry) => (entry === binDirectory ? INSIDE.client : entry));
  return { ...Object.fromEntries(rest), PATH: path.join(':'), [ENV.socket]: INSIDE.socket };
}
