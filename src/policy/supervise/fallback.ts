/**
 * What follows when an agent fails by its own fault (SPEC §8 "Choice"): the same again, or another in its place — at
 * once and for the whole run where it cannot work at all, for one task where it does not get on with that.
 *
 * not_installed, unauthorised   another at once, for the run
 * crashed                       again after 5, 10 and 20 s, then another, for the task
 * bad_output, overflow, timeout once more, then another, for the task
 * rate_limited                  again, when its vendor lets it
 */
import type { AgentSpec, FailureClass } from '../../model/agent/agent.ts';
import { usesModel } from '../../model/agent/agent-kinds.ts';
import { defined } from '../../model/text/defined.ts';
import { RESTART_AFTER_MS } from './restart.ts';

/** For how long another stands in. */
export type FallbackScope = 'run' | 'task';

export type Remedy =
  { readonly do: 'again'; readonly afterMs?: number } | { readonly do: 'fall back'; readonly for: FallbackScope };

/** Ends that one agent may give to one task before another is asked. */
const MOST_OF_A_KIND = 2;

/** @param faults of one agent at one task, or at its mail; the latest is the last */
export function remedyFor(faults: readonly FailureClass[]): Remedy {
  const fault = faults.at(-1);
  const times = faults.filter((one) => one === fault).length;
  switch (fault) {
    case undefined:
    case 'rate_limited':
      return { do: 'again' };
    case 'not_installed':
    case 'unauthorised':
      return { do: 'fall back', for: 'run' };
    case 'crashed': {
      const afterMs = RESTART_AFTER_MS[times - 1];
      return afterMs === undefined ? { do: 'fall back', for: 'task' } : { do: 'again', afterMs };
    }
    case 'bad_output':
    case 'overflow':
    case 'timeout':
      return times < MOST_OF_A_KIND ? { do: 'again', afterMs: 0 } : { do: 'fall back', for: 'task' };
    default:
      return fault satisfies never;
  }
}

/** A command is what its user wrote and a script says what it says: nobody stands in for them, and they for nobody. */
export const mayFallBack = ({ kind }: AgentSpec): boolean => usesModel(kind);

/** Two specs of one key are the same agent: what one cannot, the other cannot either. The tier makes no other of it. */
export const agentKey = ({ tier: _, ...spec }: AgentSpec): string =>
  JSON.stringify(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Who may stand in for an agent, in order; the tier is kept.
 *
 * @param fallback as configured
 * @param isSpent of its key: it was tried already, or cannot work in this run
 */
export function standIns(
  spec: AgentSpec,
  fallback: readonly AgentSpec[],
  isSpent: (key: string) => boolean,
): AgentSpec[] {
  const own = agentKey(spec);
  return fallback
    .filter((one) => mayFallBack(one) && agentKey(one) !== own && !isSpent(agentKey(one)))
    .map((one) => ({ ...one, ...defined({ tier: spec.tier }) }));
}
