/** Asks the person at the editor for a permission. The question is shown as a tool call: the protocol asks about those. */
import type { AgentContext, PermissionOption, ToolCall, ToolCallContent } from '@agentclientprotocol/sdk';
import { newId, realClock, safeText } from '../../app.ts';
import type { TellEditor } from './show-team.ts';

interface Asking {
  readonly editor: AgentContext;
  readonly sessionId: string;
  readonly tell: TellEditor;
  /** Aborts when no answer is wanted any more. */
  readonly stop: AbortSignal;
}

/** Whether the person agrees to the division of the work. */
export async function agreesTo({ editor, sessionId, tell, stop }: Asking, plan: string): Promise<boolean> {
  const toolCallId = newId(realClock.now());
  const content: ToolCallContent[] = [{ type: 'content', content: { type: 'text', text: fenced(plan) } }];
  const toolCall: ToolCall = { toolCallId, title: 'Start this team?', kind: 'other', status: 'pending', content };
  await tell({ sessionUpdate: 'tool_call', ...toolCall });
  const options: PermissionOption[] = [
    { optionId: 'allow', name: 'Start', kind: 'allow_once' },
    { optionId: 'reject', name: 'Do not start', kind: 'reject_once' },
  ];
  let isAllowed = false;
  try {
    const { outcome } = await editor.request(
      'session/request_permission',
      { sessionId, toolCall, options },
      { cancellationSignal: stop, stopWaitingOnCancel: true },
    );
    isAllowed = outcome.outcome === 'selected' && outcome.optionId === 'allow';
  } finally {
    await tell({ sessionUpdate: 'tool_call_update', toolCallId, status: isAllowed ? 'completed' : 'failed' });
  }
  return isAllowed;
}

/** A plan and a report have columns: an editor shows them as they are. */
export function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${safeText(text).trimEnd()}\n${fence}\n`;
}
