/** What a team's events say about its agents, for the report of a run. */
import type { Prices } from '../../model/team/spending-sum.ts';
import { notEnforcedIn } from '../../model/team/not-enforced.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { LEAD } from '../../model/text/names.ts';
import { DeniedCalls } from '../../policy/view/denied-calls.ts';
import { SpendingBy } from '../../policy/view/spending-by.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

/** Tokens and cost, isolated commands, fallbacks. */
export interface AgentAccount {
  readonly spending: SpendingBy;
  /** Members whose commands ran inside bubblewrap. */
  readonly isolated: ReadonlySet<string>;
  /** One note for each agent that another replaced, or that found no replacement, and for refused tool calls. */
  readonly notes: readonly string[];
  /** Sandboxes that were not enforced, beside those of members. */
  readonly notEnforced: ReadonlySet<string>;
  /** The last lines of the last failure of a task (`#3`) or a gate (`test`). */
  readonly failures: ReadonlyMap<string, readonly string[]>;
}

const NOTED: ReadonlySet<string> = new Set([
  'agent.fell_back',
  'agent.no_fallback',
  'agent.left_alone',
  'tree.not_lent',
  'tree.output_kept',
  'tree.output_left',
  'tree.teardown_failed',
]);

/**
 * Reads the log once.
 *
 * @param prices by model; they take precedence over the built-in ones
 */
export function agentAccount(store: Pick<TeamReader, 'events'>, prices: Prices = {}): AgentAccount {
  const spending = new SpendingBy(prices);
  const isolated = new Set<string>();
  const notes: string[] = [];
  const notEnforced = new Set<string>();
  const failures = new Map<string, readonly string[]>();
  const denied = new DeniedCalls();
  for (const { event } of store.events.read()) {
    spending.add(event);
    if (event.type === 'sandbox.held' && event.member !== undefined) isolated.add(event.member);
    if (event.type === 'agent.last_lines' && event.text !== undefined)
      failures.set(failedThing(event), event.text.split('\n'));
    const unheld = notEnforcedIn(event);
    if (unheld !== undefined) notEnforced.add(unheld);
    if (NOTED.has(event.type)) notes.push(`${event.member ?? LEAD}: ${event.text ?? ''}`);
    denied.add(event);
  }
  return { spending, isolated, notes: [...notes, ...denied.notes], failures, notEnforced };
}

/** `#3` for a task, `test` for a gate. */
const failedThing = ({ task, gate }: TeamEvent & { readonly gate?: unknown }): string =>
  task === undefined ? (typeof gate === 'string' ? gate : '') : `#${task}`;
