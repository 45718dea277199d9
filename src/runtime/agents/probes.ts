/**
 * Probes the agents of a loop: whether this version supports them, and whether they could work here. Starts nothing.
 */
import { agentFor } from '../../agents/agent-registry.ts';
import { findAgent, type AgentSpec } from '../../model/agent/agent.ts';
import type { Config } from '../../model/config/config.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { withModel } from '../../model/agent/models.ts';
import { mayFallBack } from '../../policy/supervise/fallback.ts';
import type { Probe } from '../../policy/refine/preflight.ts';
import type { LabelledReviewer } from '../../policy/refine/reviewer-choice.ts';
import { availabilityOf } from './availability.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Probes one agent. Never throws for one that is missing. */
export async function probe({ label, agent }: LabelledReviewer, environment: Environment): Promise<Probe> {
  const { isAvailable, found } = await availabilityOf(agent, environment);
  const fault = isAvailable ? await faultOf(agent) : undefined;
  return { isThere: isAvailable && fault === undefined, seen: `${label}: ${fault ?? found}` };
}

/** Why such an agent cannot be created here; undefined if it can. */
async function faultOf(agent: AgentSpec): Promise<string | undefined> {
  try {
    await (await agentFor(agent)).close();
    return undefined;
  } catch (error) {
    // Also an agent whose spec lacks something that the user must set, such as a model.
    if (isTeamError(error)) return error.message.replace(/\.$/, '');
    throw error;
  }
}

/**
 * The agent for `auto`: the first of the configured names that could work here.
 *
 * @returns the agent, or why none can work
 */
export async function chooseAgent(
  { fallback, models, defaultModel, agents }: Pick<Config, 'fallback' | 'models' | 'defaultModel' | 'agents'>,
  environment: Environment,
): Promise<AgentSpec | string> {
  const missing: string[] = [];
  for (const label of fallback) {
    const agent = findAgent(label, new Map(Object.entries(agents)));
    if (agent === undefined || !mayFallBack(agent)) continue;
    const { isThere, seen } = await probe({ label, agent: withModel(agent, { models, defaultModel }) }, environment);
    if (isThere) return agent;
    missing.push(seen);
  }
  return `none of "fallback" can work here (${missing.join('; ')})`;
}

/** The available agents from a list of names, in its order. */
export async function availableOf(
  names: readonly string[],
  configured: ReadonlyMap<string, AgentSpec>,
  environment: Environment,
): Promise<LabelledReviewer[]> {
  const thinkers = names.flatMap((label): LabelledReviewer[] => {
    const agent = findAgent(label, configured);
    return agent === undefined ? [] : [{ label, agent }];
  });
  const looked = await Promise.all(
    thinkers.map(async (one) => ({ one, isThere: (await probe(one, environment)).isThere })),
  );
  return looked.flatMap(({ one, isThere }) => (isThere ? [one] : []));
}
