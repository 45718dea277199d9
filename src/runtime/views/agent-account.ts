/** What the events say about a team's agents, for its report: tokens and cost, isolated commands, fallbacks. */
import type { Prices } from '../../model/team/spending-sum.ts';
import { SpendingBy } from '../../policy/view/spending-by.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

export interface AgentAccount {
  readonly spending: SpendingBy;
  /** Members whose commands ran inside bubblewrap. */
  readonly isolated: ReadonlySet<string>;
  /** One note for each agent that another replaced, or that found no replacement. */
  readonly notes: readonly string[];
}

const FALLBACKS: ReadonlySet<string> = new Set(['agent.fell_back', 'agent.no_fallback', 'agent.left_alone']);

/** Reads the log once. */
export function agentAccount(store: Pick<TeamReader, 'events'>, prices: Prices = {}): AgentAccount {
  const spending = new SpendingBy(prices);
  const isolated = new Set<string>();
  const notes: string[] = [];
  for (const { event } of store.events.read()) {
    spending.add(event);
    if (event.type === 'sandbox.held' && event.member !== undefined) isolated.add(event.member);
    if (FALLBACKS.has(event.type)) notes.push(`${event.member ?? 'unknown member'}: ${event.text ?? ''}`);
  }
  return { spending, isolated, notes };
}
