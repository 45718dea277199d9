/**
 * Chooses the planner and the workers' agents for a run of a task: first the flags, then the configuration, then the
 * first available agent.
 */
import { AUTO, parseAgentFlag, type AgentSpec } from '../../model/agent/agent.ts';
import { kindsWith, usesModel } from '../../model/agent/agent-kinds.ts';
import { configuredAgents, type Config } from '../../model/config/config.ts';
import { AgentError, UsageError } from '../../model/text/errors.ts';
import type { Labelled } from '../../policy/divide/staffing.ts';
import { availabilityOf } from '../agents/availability.ts';
import { probeAgents, type ProbedAgent } from './route.ts';

export interface RequestedAgents {
  /** In the syntax of `--planner` and `--agent`: a kind, a configured name, JSON, `exec:COMMAND`. */
  readonly planner?: string | undefined;
  readonly agent?: string | undefined;
}

interface ResolvedAgents {
  readonly planner: Labelled;
  readonly flag?: Labelled | undefined;
  readonly usual: Labelled;
  /** The available agents, by the names that routes use. */
  readonly available: ReadonlyMap<string, AgentSpec>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param more names that a template routes to
 * @throws UsageError `USAGE` for an unknown agent; AgentError `AGENT_UNAVAILABLE` with what was probed
 */
export async function resolveAgents(
  said: RequestedAgents,
  config: Config,
  environment: Environment,
  more: readonly string[],
): Promise<ResolvedAgents> {
  const agents = configuredAgents(config);
  const fromWord = async (word: string | undefined): Promise<Labelled | undefined> =>
    word === undefined || word === AUTO ? undefined : saidAgent(word, agents, environment);
  const [flag, askedPlanner] = [await fromWord(said.agent), await fromWord(said.planner)];
  const names = [...new Set([...kindsWith('routes'), ...config.fallback, ...more])];
  const probes = flag && askedPlanner ? new Map<string, ProbedAgent>() : await probeAgents(names, agents, environment);
  const available = new Map(
    [...probes].flatMap(([name, { spec, isAvailable }]) => (spec && isAvailable ? [[name, spec] as const] : [])),
  );
  const wanted = said.agent === AUTO ? { ...config, defaultAgent: AUTO } : config;
  const usual = flag ?? (await usualOf(wanted, agents, available, environment));
  if (usual === undefined) {
    const seen = config.fallback.map((name) => `${name}: ${probes.get(name)?.found ?? 'unknown'}`);
    throw noneAvailable(askedPlanner !== undefined, seen);
  }
  return { usual, available, planner: plannerOf(askedPlanner, usual), flag };
}

async function saidAgent(
  word: string,
  agents: ReadonlyMap<string, AgentSpec>,
  environment: Environment,
): Promise<Labelled> {
  const agent = parseAgentFlag(word, agents);
  if (agent.kind === 'exec' && agent.command === undefined)
    throw new UsageError('USAGE', `${word} has no command, and a task needs one: exec:COMMAND.`);
  const { isAvailable, found } = await availabilityOf(agent, environment);
  if (!isAvailable)
    throw new AgentError(
      'AGENT_UNAVAILABLE',
      `${labelOf(word, agent)} cannot work here: ${found}; \`teams doctor\` says what to do.`,
    );
  return { label: labelOf(word, agent), agent };
}

/** A command or a spec in JSON is labelled by its kind. */
const labelOf = (word: string, { kind }: AgentSpec): string => (/^[a-z0-9-]+$/.test(word.trim()) ? word.trim() : kind);

async function usualOf(
  { defaultAgent, fallback }: Config,
  agents: ReadonlyMap<string, AgentSpec>,
  available: ReadonlyMap<string, AgentSpec>,
  environment: Environment,
): Promise<Labelled | undefined> {
  if (defaultAgent !== AUTO) return saidAgent(defaultAgent, agents, environment);
  const label = fallback.find((name) => available.has(name));
  const agent = available.get(label ?? '');
  return label === undefined || agent === undefined ? undefined : { label, agent };
}

/** A command that works on tasks is used as the planner only if `--planner` says so. */
function plannerOf(askedPlanner: Labelled | undefined, usual: Labelled): Labelled {
  if (askedPlanner === undefined && !usesModel(usual.agent.kind))
    throw new UsageError(
      'USAGE',
      `${usual.label} works on tasks and does not plan: name a planner with --planner AGENT or --planner exec:COMMAND, or write a plan file.`,
    );
  return askedPlanner ?? usual;
}

const noneAvailable = (hasPlanner: boolean, seen: readonly string[]): AgentError =>
  new AgentError(
    'AGENT_UNAVAILABLE',
    `No agent can ${hasPlanner ? 'work' : 'plan or work'} here. Probed: ${seen.join('; ')}. ` +
      'Install one or set its key (`teams doctor` says how), name commands instead (--planner exec:COMMAND --agent exec:COMMAND), or write a plan file and run that.',
  );
