/** What a program that is driven by a protocol does next, in the words of every protocol. */
import type { AgentEvent, CallAnswer, TurnEnd } from '../agent-contract.ts';

export type Asked = Extract<AgentEvent, { type: 'asked' }>;

export type Step =
  | { readonly do: 'tell'; readonly event: Exclude<AgentEvent, { type: 'asked' | 'called' }> }
  | { readonly do: 'ask'; readonly event: Asked; readonly reply: (answer: CallAnswer) => void }
  /** A tool of its own runs, or has ended: while one does, silence is no stall. */
  | { readonly do: 'busy'; readonly with: string; readonly is: boolean }
  | { readonly do: 'end'; readonly end: TurnEnd };

export const tell = (event: Extract<Step, { do: 'tell' }>['event']): Step => ({ do: 'tell', event });
export const end = (how: TurnEnd): Step => ({ do: 'end', end: how });
