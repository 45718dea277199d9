/** The tools for an agent in this process. Loaded only for such an agent, because they load most of the runtime. */
import type { CallAnswer, ToolCallEvent } from '../../agents/agent-contract.ts';
import type { ToolName } from '../../model/team/tool.ts';
import type { Message } from '../../model/team/message.ts';
import { readOnlyMailbox } from './mailboxes.ts';
import type { MemberSession } from '../team/member-session.ts';
import { toolsOf, useTool } from './toolbox.ts';
import { TeamHandle } from '../team/team-handle.ts';
import type { Workspace } from './tool-workspace.ts';

/**
 * Executes a call; a refusal is an answer that the agent can act on.
 *
 * @param cause the mail of the turn in which it is called
 */
export function callTool(
  session: MemberSession,
  cause: readonly Message[],
  workspace: Workspace | undefined,
  { tool, input, signal = new AbortController().signal }: ToolCallEvent,
): Promise<CallAnswer> {
  const team = new TeamHandle(session.store, session.speaker, session.rate);
  const mail = readOnlyMailbox(team, session.name, ({ id }) => cause.some((known) => known.id === id));
  const call = { signal, progress: () => {}, showsImages: true };
  return useTool({ side: 'teammate', team, mail, cause, workspace }, tool, input, call);
}

/** The tools that an agent which gets its tools from us may call now. */
export const offeredTools = (workspace: Workspace | undefined): ToolName[] => toolsOf({ side: 'teammate', workspace });
