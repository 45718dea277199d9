/** The tier of a task's agent (docs/specification.md R7.10): the task's own tier, else its member's. */
import { TIERS, type AgentSpec } from '../../model/agent/agent.ts';
import { modelFor, type ModelRules } from '../../model/agent/models.ts';

/**
 * The agent for a task that asks for a tier.
 *
 * @param wanted the tier in the task's metadata; any value
 * @returns undefined if the member's own agent fits: no tier is wanted, or its model is the same, for example a named
 * one
 */
export function suitedTo(spec: AgentSpec, wanted: unknown, rules: ModelRules): AgentSpec | undefined {
  const tier = TIERS.find((one) => one === wanted);
  if (tier === undefined) return undefined;
  const suited = { ...spec, tier };
  return modelFor(suited, rules) === modelFor(spec, rules) ? undefined : suited;
}
