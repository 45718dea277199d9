/**
 * Assigns to each subtask a worker with role, agent and tier (docs/specification.md R8.6). Agent: flag > template >
 * task type > domain > default (`routing.ts`). Tier: the agent's own > template > score > default (`complexity.ts`). A
 * role that the user asked for is kept.
 */
import type { AgentSpec, Tier } from '../../model/agent/agent.ts';
import { usesModel } from '../../model/agent/agent-kinds.ts';
import type { Config } from '../../model/config/config.ts';
import type { Subtask } from '../../model/plan/decomposition.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';
import type { RunSpec } from '../../model/plan/run-spec.ts';
import type { Template } from '../../model/plan/template.ts';
import { defined } from '../../model/text/defined.ts';
import { chooseTier } from './complexity.ts';
import { misfit } from './role-fit.ts';
import { route } from './routing.ts';
import { taskType } from '../task-type.ts';

/** An agent and its label. */
export interface Labelled {
  readonly label: string;
  readonly agent: AgentSpec;
}

export interface Staffing {
  readonly spec: RunSpec;
  /** Present if the spec names a template. */
  readonly template?: Template;
  readonly roles: ReadonlyMap<Name, RoleSpec>;
  /** The value of `--agent`. */
  readonly flag?: Labelled | undefined;
  /** The default agent. */
  readonly usual: Labelled;
  /** The available agents, by the names that routes use. */
  readonly available: ReadonlyMap<string, AgentSpec>;
  readonly config: Pick<Config, 'maxAgents' | 'defaultAgentType' | 'defaultModel' | 'routing' | 'models'>;
}

export interface StaffedWorker {
  readonly name: Name;
  readonly role: Name;
  readonly tier: Tier;
  /** The agent's name in the plan that people see. */
  readonly label: string;
  readonly agent: AgentSpec;
  readonly why: string;
}

interface Staffed {
  readonly workers: readonly StaffedWorker[];
  /** For each subtask, the position of its worker. */
  readonly doers: readonly number[];
  /** Sentences for the planner; empty if every subtask has a fit worker. */
  readonly problems: readonly string[];
}

/** How many subtasks a planner may give. */
export const mostSubtasks = ({ spec, template, config }: Staffing): number =>
  spec.kind === 'count' ? spec.count : template ? template.workers.length * 3 : config.maxAgents;

export function staffWorkers(subtasks: readonly Subtask[], staffing: Staffing): Staffed {
  const most = mostSubtasks(staffing);
  if (subtasks.length > most)
    return unstaffed(`There are ${subtasks.length} subtasks, and at most ${most} are allowed; join some.`);
  return staffing.template ? staffTemplate(subtasks, staffing, staffing.template) : staffEach(subtasks, staffing);
}

const unstaffed = (...problems: string[]): Staffed => ({ workers: [], doers: [], problems });

const workerName = (at: number): Name => parseName('member', `worker-${at + 1}`);

/** One worker for each subtask. */
function staffEach(subtasks: readonly Subtask[], staffing: Staffing): Staffed {
  const { spec, config } = staffing;
  const workers = subtasks.map((subtask, at): StaffedWorker => {
    const routed = routeOf([subtask], staffing);
    const told = spec.kind === 'count' ? spec.role : routed.role;
    const fits = spec.kind === 'count' || unfit([subtask], told, staffing).length === 0;
    const role = fits ? told : config.defaultAgentType;
    return workerOf(at, role, routed, { text: textOf([subtask]) }, staffing);
  });
  const problems = workers.flatMap(({ role }, at) => unfit(subtasks.slice(at, at + 1), role, staffing));
  return { workers, doers: subtasks.map((_, at) => at), problems };
}

/** The template's workers, each with its subtasks. */
function staffTemplate(subtasks: readonly Subtask[], staffing: Staffing, { workers: slots }: Template): Staffed {
  const named = subtasks.map(({ worker }, at) =>
    slotOf(worker ?? (subtasks.length === slots.length ? workerName(at) : ''), slots),
  );
  const lost = named.flatMap((slot, at) =>
    slot < 0 ? [`Subtask ${at + 1} needs a "worker": one of ${slots.map((_, n) => workerName(n)).join(', ')}.`] : [],
  );
  const bare = slots.flatMap(({ role }, at) =>
    named.includes(at) ? [] : [`${workerName(at)} (${role}) has no subtask.`],
  );
  if (lost.length + bare.length > 0) return unstaffed(...lost, ...bare);
  const workers = slots.map((slot, at): StaffedWorker => {
    const own = subtasks.filter((_, index) => named[index] === at);
    return workerOf(
      at,
      slot.role,
      routeOf(own, staffing, slot.route),
      { template: slot.tier, text: textOf(own) },
      staffing,
    );
  });
  const problems = workers.flatMap(({ role }, at) =>
    unfit(
      subtasks.filter((_, index) => named[index] === at),
      role,
      staffing,
    ),
  );
  return { workers, doers: named, problems };
}

/** By the worker's name, or by a role that only one worker has. */
function slotOf(word: string, slots: Template['workers']): number {
  const byName = slots.findIndex((_, at) => workerName(at) === word);
  const byRole = slots.flatMap(({ role }, at) => (role === word ? [at] : []));
  return byName >= 0 ? byName : byRole.length === 1 ? (byRole[0] ?? -1) : -1;
}

const textOf = (subtasks: readonly Subtask[]): string =>
  subtasks.map(({ subject, description }) => `${subject}\n${description}`).join('\n\n');

function routeOf(subtasks: readonly Subtask[], staffing: Staffing, template?: readonly string[]) {
  const { flag, usual, available, config } = staffing;
  const [first] = subtasks;
  const type = first && taskType({ subject: first.subject, metadata: {} });
  return route({
    text: textOf(subtasks),
    byType: config.routing.byType,
    isAvailable: (name) => available.has(name),
    defaultAgent: usual.label,
    defaultRole: config.defaultAgentType,
    flag: flag?.label,
    template,
    type,
  });
}

function workerOf(
  at: number,
  role: Name,
  { agent: label, why }: { readonly agent: string; readonly why: string },
  asked: { readonly template?: Tier; readonly text: string },
  { flag, usual, available, config }: Staffing,
): StaffedWorker {
  const agent = flag?.agent ?? available.get(label) ?? usual.agent;
  const own = agent.tier === undefined ? {} : { flag: agent.tier };
  const tier = chooseTier({ ...asked, ...own }, config.defaultModel);
  return { name: workerName(at), role, tier, label, agent: withTier(agent, tier, config), why };
}

/** A command has no tier, and a model that the user named is kept. */
function withTier(agent: AgentSpec, tier: Tier, { models }: Staffing['config']): AgentSpec {
  if (!usesModel(agent.kind) || agent.model !== undefined) return agent;
  const model = models[agent.kind]?.[tier];
  return { ...agent, tier, ...defined({ model }) };
}

const unfit = (subtasks: readonly Subtask[], role: Name, { roles }: Staffing): string[] => {
  const known = roles.get(role);
  const whys = known === undefined ? [] : subtasks.map(({ subject }) => misfit(known, subject));
  return whys.flatMap((why) => (why === undefined ? [] : [`${why}.`]));
};
