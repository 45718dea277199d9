/** What the events tell of the agents of a team, for its report: what they used, and whose commands are held in. */
import type { Prices } from '../model/spending.ts';
import { SpendingBy } from '../policy/view/spending-by.ts';
import type { TeamReader } from '../store/team-reader.ts';

export interface AgentAccount {
  readonly spending: SpendingBy;
  /** Members whose commands bubblewrap held in. */
  readonly walled: ReadonlySet<string>;
}

/** Reads the log once. */
export function agentAccount(store: Pick<TeamReader, 'events'>, prices: Prices = {}): AgentAccount {
  const spending = new SpendingBy(prices);
  const walled = new Set<string>();
  for (const { event } of store.events.read()) {
    spending.add(event);
    if (event.type === 'sandbox.held' && event.member !== undefined) walled.add(event.member);
  }
  return { spending, walled };
}
