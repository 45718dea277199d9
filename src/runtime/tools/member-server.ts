/**
 * The command that starts the team's MCP server for a member's program; the token in its environment makes it that
 * member.
 */
import process from 'node:process';
import type { Server } from '../../agents/agent-contract.ts';
import { INSIDE } from '../../policy/sandbox/program-isolation.ts';
import { commandLine } from '../process/package.ts';
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
