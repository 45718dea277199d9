/** The agent of members that have none: the flag's, else the configuration's, else the first that is there. */
import {
  AgentError,
  AUTO,
  chooseAgent,
  withDefaultAgent,
  requireAvailable,
  parseAgentFlag,
  type AgentSpec,
  type GivenPlan,
} from '../../../app.ts';
import type { CliIo } from '../io.ts';
import type { Settings } from './settings.ts';

/** @returns undefined for `auto`; @throws UsageError for an agent that nobody knows */
export function defaultAgent({ merged, agents }: Settings, flag: string | undefined): AgentSpec | undefined {
  const { defaultAgent: configured } = merged.config;
  const wanted = flag ?? configured;
  return wanted === AUTO ? undefined : parseAgentFlag(wanted, agents);
}

/**
 * The agent that a flag names, else the usual one.
 *
 * @param whose for the sentence that nobody can: `for ada`
 * @throws AgentError `AGENT_UNAVAILABLE` when none is named and none is there
 */
export async function agentFor(
  here: Settings,
  { environment }: CliIo,
  flag: string | undefined,
  whose: string,
): Promise<AgentSpec> {
  const named = defaultAgent(here, flag);
  const agent = named ?? (await chooseAgent(here.merged.config, environment));
  if (typeof agent === 'string')
    throw new AgentError('AGENT_UNAVAILABLE', `Nothing can think ${whose}: ${agent}; name an agent with --agent.`);
  return agent;
}

/** Nobody is looked for where nobody is wanted: each look may start a program. Nobody found: the plan stays as it is. */
export async function chooseDefaultAgent(
  given: GivenPlan,
  { merged }: Settings,
  { environment }: CliIo,
): Promise<GivenPlan & { readonly why?: string | undefined }> {
  const { members, cascade, spare } = given.plan;
  const isWanted = members.some(({ agent }) => agent === undefined) || (cascade && spare === undefined);
  const chosen = isWanted ? await chooseAgent(merged.config, environment) : undefined;
  if (chosen === undefined) return given;
  return typeof chosen === 'string' ? { ...given, why: chosen } : withDefaultAgent(given, chosen);
}

/**
 * Before a team is made: nothing is there yet that would have to be put away again.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` naming a member that nothing thinks for, or whose agent cannot work here
 */
export async function requireAgents(
  {
    plan: { members, lead },
    why = 'no default agent is configured',
  }: { plan: GivenPlan['plan']; why?: string | undefined },
  { environment }: CliIo,
): Promise<void> {
  const bare = members.find(({ agent }) => agent === undefined);
  if (bare)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `Member ${bare.name} has no agent, and ${why}; give it one in the plan, or run with --agent.`,
    );
  if (lead) await requireAvailable(lead, 'lead', environment);
  for (const { name, agent, env } of members)
    if (agent) await requireAvailable(agent, name, { ...environment, ...env });
}
