/** What the events tell of the agents of a team, for its report: what they used, whose commands are held in, who stood in. */
import type { Prices } from '../../model/team/spending-sum.ts';
import { SpendingBy } from '../../policy/view/spending-by.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

export interface AgentAccount {
  readonly spending: SpendingBy;
  /** Members whose commands bubblewrap held in. */
  readonly isolated: ReadonlySet<string>;
  /** Each agent that gave its place to another, or found nobody for it. */
  readonly notes: readonly string[];
}

const SEATS: ReadonlySet<string> = new Set(['agent.fell_back', 'agent.no_fallback', 'agent.left_alone']);

/** Reads the log once. */
export function agentAccount(store: Pick<TeamReader, 'events'>, prices: Prices = {}): AgentAccount {
  const spending = new SpendingBy(prices);
  const walled = new Set<string>();
  const notes: string[] = [];
  for (const { event } of store.events.read()) {
    spending.add(event);
    if (event.type === 'sandbox.held' && event.member !== undefined) walled.add(event.member);
    if (SEATS.has(event.type)) notes.push(`${event.member ?? 'Somebody'}: ${event.text ?? ''}`);
  }
  return { spending, isolated: walled, notes };
}
