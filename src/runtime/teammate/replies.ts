/**
 * Handles mail that needs no agent: control mail, which takes effect at once, and mail of the runtime itself. The
 * process answers a status check from its own state: that proves life, never progress.
 */
import type { Message } from '../../model/team/message.ts';
import { answerId } from '../../model/board/request.ts';
import { statusAnswer } from '../../policy/mail-wording.ts';
import type { PlanGate } from './plan-gate.ts';
import type { MemberSession } from '../team/member-session.ts';

export interface Replies {
  readonly session: MemberSession;
  readonly plans: PlanGate;
  /** Its agent is asked whether it may be stopped, unless it is forced. */
  readonly asksAgent: boolean;
  /** Called when the agent must be asked, with the request. */
  readonly onAsked: (request: Message) => void;
  /** Called when a shutdown request is accepted; `now` ends the turn, too. */
  readonly onShutdown: (order: { now: boolean }) => void;
}

/** Kinds of mail that only repeat what a member sees on the board. */
const NEWS = new Set(['unblocked', 'assignment', 'idle', 'status', 'task_completed', 'task_failed']);

/** @returns whether the message is used up; else it waits for the agent's next turn */
export async function reply(message: Message, replies: Replies): Promise<boolean> {
  const { session, plans } = replies;
  switch (message.type) {
    case 'shutdown_request':
      shutdownRequested(message, replies);
      return true;
    case 'plan_approval_response':
      plans.answered(message);
      return true;
    case 'shutdown_response':
      return true;
    default:
      if (message.kind === 'status_check')
        await session.tellLead(statusText(session), { kind: 'status', reply_to: message.id });
      return message.kind === 'status_check' || NEWS.has(message.kind ?? '') || isBrought(message, session);
  }
}

/** Whether the task's own turn brings this answer from the board: see `agents/task-answers.ts`. */
function isBrought({ id, request_id }: Message, { store }: MemberSession): boolean {
  const request = store.board.fold().requests.get(request_id ?? '');
  return request?.task !== undefined && request.kind === 'question' && id === answerId(request);
}

function shutdownRequested(message: Message, { session, asksAgent, onAsked, onShutdown }: Replies): void {
  const { epoch, data } = message;
  // A request of a lead that was replaced has no effect.
  if (epoch !== undefined && epoch < session.store.board.fold().lead.epoch) return;
  const isOrder = data?.['force'] === true || data?.['now'] === true;
  if (asksAgent && !isOrder) onAsked(message);
  else onShutdown({ now: data?.['now'] === true });
}

function statusText(session: MemberSession): string {
  const own = session.task();
  return statusAnswer(own ? `task #${own.id} in progress: ${own.subject}` : 'idle');
}
