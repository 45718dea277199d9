/**
 * What a plan will do, told before it is started: the follow-ups of its tasks, the least number of model turns, and the
 * cost by what earlier runs paid.
 */
import { recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import type { CascadeKind } from '../sighting.ts';
import { followUpOf } from './cascade.ts';

export interface ExpectedFollowUp {
  readonly kind: CascadeKind;
  readonly subject: string;
  /** The role that does it, unless a member of another role is idle. */
  readonly role: Name;
  /** The task of the plan that its chain begins with, from 1. */
  readonly of: number;
  /** Its place in the chain, from 1. */
  readonly depth: number;
}

/** What one kind of agent was paid for in earlier runs. */
export interface PaidWork {
  /** Tasks that were completed. */
  readonly tasks: number;
  readonly tokens: number;
  /** US dollars; null if a price was not known. */
  readonly usd: number | null;
}

export interface Estimate {
  /** The least number of turns of models: one for each task that a model does, and one for each plan and verification. */
  readonly turns: number;
  /** US dollars; null if it cannot be told. */
  readonly usd: number | null;
  /** Null if it cannot be told. */
  readonly tokens: number | null;
  /** Completed tasks of earlier runs that the cost is taken from. */
  readonly pastTasks: number;
  /** Kinds of agents without an earlier run that says what they cost. */
  readonly unknown: readonly AgentKind[];
}

export interface ExpectedWork {
  readonly followUps: readonly ExpectedFollowUp[];
  readonly estimate: Estimate;
}

/**
 * @param deepest the most follow-ups of a chain
 * @param paid earlier work by the kind of agent
 */
export function expectedWork(plan: Plan, deepest: number, paid: ReadonlyMap<AgentKind, PaidWork>): ExpectedWork {
  const followUps = plan.cascade ? expectedFollowUps(plan, deepest) : [];
  return { followUps, estimate: estimateOf(plan, followUps, paid) };
}

type PlannedTask = Plan['tasks'][number];

function expectedFollowUps(plan: Plan, deepest: number): ExpectedFollowUp[] {
  const { cascadeByRole } = plan;
  const byRole =
    cascadeByRole && new Map(Object.entries(cascadeByRole).map(([role, kind]) => [parseName('role', role), kind]));
  return plan.tasks.flatMap((task, at) => {
    const chain: ExpectedFollowUp[] = [];
    let before: Pick<PlannedTask, 'subject' | 'metadata'> = task;
    let doer = doerRole(task, plan);
    for (;;) {
      const next = followUpOf({ id: String(at + 1), ...pick(before) }, doer, { byRole }, deepest);
      if (next === undefined) return chain;
      chain.push({ kind: next.kind, subject: next.subject, role: next.role, of: at + 1, depth: next.metadata.depth });
      [before, doer] = [next, next.role];
    }
  });
}

const pick = ({ subject, metadata }: Pick<PlannedTask, 'subject' | 'metadata'>) => ({ subject, metadata });

/** Undefined if members of several roles may do it. */
function doerRole(task: PlannedTask, plan: Plan): Name | undefined {
  const roles = new Set(mayWork(task, plan).map(({ role }) => role));
  const [role] = roles;
  return roles.size === 1 ? role : undefined;
}

const mayWork = ({ owner, role }: PlannedTask, { members }: Plan) =>
  members.filter((member) => (owner ?? member.name) === member.name && (role ?? member.role) === member.role);

function estimateOf(
  plan: Plan,
  followUps: readonly ExpectedFollowUp[],
  paid: ReadonlyMap<AgentKind, PaidWork>,
): Estimate {
  const byTask = plan.tasks.map((task) => mayWork(task, plan).flatMap(({ agent }) => (agent ? [agent.kind] : [])));
  const helpers = plan.members.flatMap(({ agent }) => (agent && agent.kind !== 'exec' ? [agent.kind] : []));
  const work = [...byTask, ...followUps.map(() => (plan.spare === undefined ? helpers : [plan.spare.kind]))];
  const modelWork = work.map((kinds) => kinds.filter(isModel)).filter((kinds) => kinds.length > 0);
  const plans = plan.tasks.filter((task) =>
    mayWork(task, plan).some(({ agent, planApproval }) => planApproval && agent && isModel(agent.kind)),
  );
  const verifications = plan.gates.crossVerify && (plan.reviewer === undefined || isModel(plan.reviewer.kind)) ? 1 : 0;
  const kinds = [...new Set(modelWork.flat())];
  const unknown = kinds.filter((kind) => paid.get(kind) === undefined);
  const costs = modelWork.map((all) => meanOf(all, paid));
  const isKnown = kinds.length > 0 && unknown.length === 0;
  return {
    turns: modelWork.length + plans.length + (modelWork.length > 0 ? verifications : 0),
    tokens: isKnown ? Math.round(sum(costs.map(({ tokens }) => tokens))) : null,
    usd: isKnown && costs.every(({ usd }) => usd !== null) ? sum(costs.map(({ usd }) => usd ?? 0)) : null,
    pastTasks: isKnown ? sum(kinds.map((kind) => paid.get(kind)?.tasks ?? 0)) : 0,
    unknown,
  };
}

/** Commands and replayed scripts ask no model. */
const isModel = (kind: AgentKind): boolean => !['command', 'script'].includes(recordOf(kind).drive);

/** What one task costs, if any of these kinds may do it. */
function meanOf(kinds: readonly AgentKind[], paid: ReadonlyMap<AgentKind, PaidWork>) {
  const known = kinds.flatMap((kind) => paid.get(kind) ?? []);
  const mean = (of: (work: PaidWork) => number): number =>
    sum(known.map((work) => of(work) / Math.max(1, work.tasks))) / Math.max(1, known.length);
  const isPriced = known.every(({ usd }) => usd !== null);
  return { tokens: mean(({ tokens }) => tokens), usd: isPriced ? mean(({ usd }) => usd ?? 0) : null };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
