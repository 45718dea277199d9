/** The agent of members that have none: the flag's, else the configuration's. */
import { AgentError, AUTO, mustBeAvailable, parseAgentFlag, type AgentSpec, type Plan } from '../../index.ts';
import type { Outside } from './outside.ts';
import type { Settings } from './settings.ts';

/** @throws UsageError for an agent that nobody knows */
export function defaultAgent({ merged, agents }: Settings, flag: string | undefined): AgentSpec | undefined {
  const { defaultAgent: configured } = merged.config;
  const wanted = flag ?? (configured === AUTO ? undefined : configured);
  return wanted === undefined ? undefined : parseAgentFlag(wanted, agents);
}

/**
 * Before a team is made: nothing is there yet that would have to be put away again.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` naming a member that nothing thinks for, or whose agent cannot work here
 */
export async function mustHaveAgents({ members, lead }: Plan, { environment }: Outside): Promise<void> {
  const bare = members.find(({ agent }) => agent === undefined);
  if (bare)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `Member ${bare.name} has no agent, and no default agent is configured; give it one in the plan, or run with --agent.`,
    );
  if (lead) await mustBeAvailable(lead, 'lead', environment);
  for (const { name, agent, env } of members) if (agent) await mustBeAvailable(agent, name, { ...environment, ...env });
}
