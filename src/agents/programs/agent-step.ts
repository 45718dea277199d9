/** The next step of a program that is driven by a protocol, in terms that fit every protocol. */
import type { AgentEvent, CallAnswer } from '../agent-contract.ts';
import type { TurnEnd } from '../../model/agent/turn-end.ts';

export type PermissionAskedEvent = Extract<AgentEvent, { type: 'asked' }>;

export type AgentStep =
  | { readonly do: 'tell'; readonly event: Exclude<AgentEvent, { type: 'asked' | 'called' }> }
  | { readonly do: 'ask'; readonly event: PermissionAskedEvent; readonly reply: (answer: CallAnswer) => void }
  /** One of its own tools runs, or has ended: while one runs, silence is not a stall. */
  | { readonly do: 'busy'; readonly with: string; readonly is: boolean }
  | { readonly do: 'end'; readonly end: TurnEnd };

export const tellStep = (event: Extract<AgentStep, { do: 'tell' }>['event']): AgentStep => ({ do: 'tell', event });
export const endStep = (how: TurnEnd): AgentStep => ({ do: 'end', end: how });
