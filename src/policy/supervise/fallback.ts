/**
 * What follows an agent's own fault (docs/specification.md R7.8): the same agent again, or another agent. An agent that
 * cannot work at all is replaced at once for the whole run; an agent that fails at one task is replaced for that task.
 *
 *   not_installed, unauthorised   another at once, for the run
 *   crashed                       again after 5, 10 and 20 s, then another, for the task
 *   bad_output, overflow, timeout once more, then another, for the task
 *   refused                       another at once, for the task
 *   rate_limited                  again, after its vendor's pause
 */
import type { AgentSpec, FailureClass } from '../../model/agent/agent.ts';
import { usesModel } from '../../model/agent/agent-kinds.ts';
import { defined } from '../../model/text/defined.ts';
import { RESTART_AFTER_MS } from './restart.ts';

/** For how long the other agent replaces it. */
export type FallbackScope = 'run' | 'task';

export type Remedy =
  { readonly do: 'again'; readonly afterMs?: number } | { readonly do: 'fall back'; readonly for: FallbackScope };

/** Failures of one kind that one agent may have at one task before another agent is asked. */
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
    // The same words would be refused again.
    case 'refused':
      return { do: 'fall back', for: 'task' };
    case 'bad_output':
    case 'overflow':
    case 'timeout':
      return times < MOST_OF_A_KIND ? { do: 'again', afterMs: 0 } : { do: 'fall back', for: 'task' };
    default:
      return fault satisfies never;
  }
}

/** A command or a script is exactly what its user wrote: no agent replaces it, and it replaces none. */
export const mayFallBack = ({ kind }: AgentSpec): boolean => usesModel(kind);

/**
 * Two specs with one key are the same agent: if one cannot do a task, neither can the other. The tier is not part of
 * the key.
 */
export const agentKey = ({ tier: _, ...spec }: AgentSpec): string =>
  JSON.stringify(Object.entries(spec).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The agents that may replace an agent, in order; the tier is kept.
 *
 * @param fallback as configured
 * @param isSpent whether the agent with this key was already tried, or cannot work in this run
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
