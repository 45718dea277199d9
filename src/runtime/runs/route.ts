/**
 * Explains where a task's text would be routed: the domain by words, the tier by complexity, the agent by what is
 * available.
 */
import { AUTO } from '../../model/agent/agent.ts';
import { kindsWith } from '../../model/agent/agent-kinds.ts';
import { type Config, configuredAgents } from '../../model/config/config.ts';
import { type AgentSpec, findAgent, type Tier } from '../../model/agent/agent.ts';
import { complexityOf } from '../../policy/divide/complexity.ts';
import { type Domain, route, type Route } from '../../policy/divide/routing.ts';
import { taskType } from '../../policy/task-type.ts';
import { availabilityOf, type Availability } from '../agents/availability.ts';

interface Routed {
  readonly domain: Domain;
  readonly score: number;
  readonly tier: Tier;
  /** Null if no agent is available. */
  readonly agent: string | null;
  readonly role: string;
  readonly words: Route['words'];
  readonly why: string;
}

/** What a probe found out about the agent of a name. */
export interface ProbedAgent extends Availability {
  /** Absent if the name is unknown. */
  readonly spec?: AgentSpec;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Probes each agent that could be chosen. */
export async function probeAgents(
  names: readonly string[],
  configured: ReadonlyMap<string, AgentSpec>,
  environment: Environment,
): Promise<ReadonlyMap<string, ProbedAgent>> {
  const probed = [...new Set(names)].map(async (name) => {
    const spec = findAgent(name, configured);
    const found = spec && (await availabilityOf(spec, environment));
    return [name, found ? { ...found, spec } : { isAvailable: false, found: 'unknown' }] as const;
  });
  return new Map(await Promise.all(probed));
}

/** @param flag the value of `--agent` */
export async function routeText(
  text: string,
  config: Config,
  environment: Environment,
  flag?: string,
): Promise<Routed> {
  const names = [...kindsWith('routes'), ...config.fallback];
  const probes = await probeAgents(names, configuredAgents(config), environment);
  const isAvailable = (name: string): boolean => probes.get(name)?.isAvailable === true;
  const usual = config.defaultAgent === AUTO ? config.fallback.find(isAvailable) : config.defaultAgent;
  const type = taskType({ subject: text, metadata: {} });
  const { tier, score, why: weight } = complexityOf(text);
  const routed = route({
    text,
    isAvailable,
    byType: config.routing.byType,
    defaultRole: config.defaultAgentType,
    defaultAgent: usual ?? 'none',
    flag,
    type,
  });
  const { domain, role, words, why } = routed;
  const agent = routed.agent === 'none' ? null : routed.agent;
  return { domain, score, tier, agent, role, words, why: `${why}; ${tier} for ${weight}` };
}
