/** The team tools that an agent in this process calls. */
import type { CallAnswer } from '../agents/agent.ts';
import type { Message } from '../model/message.ts';
import { lookingMailbox } from './mailboxes.ts';
import type { Self } from './self.ts';
import { TeamHandle } from './team.ts';

/**
 * Carries out a call; a refusal is an answer that the agent can act on.
 *
 * @param cause the mail of the turn in which it is called
 */
export async function callTool(
  self: Self,
  cause: readonly Message[],
  tool: string,
  input: Readonly<Record<string, unknown>>,
): Promise<CallAnswer> {
  // Most agents call no tool: what it takes is loaded for those that do.
  const { useTool } = await import('./toolbox.ts');
  const team = new TeamHandle(self.store, self.speaker, self.rate);
  const mail = lookingMailbox(team, self.name, ({ id }) => cause.some((known) => known.id === id));
  const call = { signal: new AbortController().signal, progress: () => {} };
  return useTool({ side: 'teammate', team, mail, cause }, tool, input, call);
}
