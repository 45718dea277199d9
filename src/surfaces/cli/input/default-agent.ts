/** The agent of members without one: the flag's, else the configured default, else the first available agent. */
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

/**
 * @returns undefined for `auto`
 * @throws UsageError for an unknown agent
 */
export function defaultAgent({ merged, agents }: Settings, flag: string | undefined): AgentSpec | undefined {
  const { defaultAgent: configured } = merged.config;
  const wanted = flag ?? configured;
  return wanted === AUTO ? undefined : parseAgentFlag(wanted, agents);
}

/**
 * The agent that a flag names, else the default agent.
 *
 * @param whose completes the error message: `for ada`
 * @throws AgentError `AGENT_UNAVAILABLE` when no agent is named and none is available
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
    throw new AgentError('AGENT_UNAVAILABLE', `No agent is available ${whose}: ${agent}; name one with --agent.`);
  return agent;
}

/**
 * Probes for an agent only if a member needs one, because each probe may start a program. If none is found, the plan
 * stays unchanged and `why` says the reason.
 */
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
 * Checks all agents of a plan before its team is made, so that nothing must be cleaned up.
 *
 * @throws AgentError `AGENT_UNAVAILABLE` naming a member without an agent, or whose agent is not available
 */
export async function requireAgents(
  {
    plan: { members, lead, reviewer, spare },
    from: { cwd },
    why = 'no default agent is configured',
  }: GivenPlan & { readonly why?: string | undefined },
  { environment }: CliIo,
): Promise<void> {
  const bare = members.find(({ agent }) => agent === undefined);
  if (bare)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `Member ${bare.name} has no agent, and ${why}; give it one in the plan, or run with --agent.`,
    );
  for (const [agent, whose] of [
    [lead, 'the lead'],
    [reviewer, 'the reviewer'],
    [spare, 'members that follow-up tasks add'],
  ] as const)
    if (agent) await requireAvailable(agent, whose, environment, cwd);
  for (const { name, agent, env } of members)
    if (agent) await requireAvailable(agent, name, { ...environment, ...env }, cwd);
}
