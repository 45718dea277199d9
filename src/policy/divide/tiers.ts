/** Which tier thinks about a task (SPEC §9): the task's own, where it names one, else its member's. */
import { TIERS, type AgentSpec } from '../../model/agent/agent.ts';
import { modelFor, type ModelRules } from '../../model/agent/models.ts';

/**
 * The agent for a task that asks for a tier.
 *
 * @param wanted as the task's metadata say it; anything
 * @returns undefined where the member's own does: nothing is asked for, or the model is the same, as one that was named is
 */
export function suitedTo(spec: AgentSpec, wanted: unknown, rules: ModelRules): AgentSpec | undefined {
  const tier = TIERS.find((one) => one === wanted);
  if (tier === undefined) return undefined;
  const suited = { ...spec, tier };
  return modelFor(suited, rules) === modelFor(spec, rules) ? undefined : suited;
}
