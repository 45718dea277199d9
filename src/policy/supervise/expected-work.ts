/**
 * What a plan will do, told before it is started: the follow-ups of its tasks, the least number of model turns, and what
 * it will use by the finished tasks of earlier runs.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { isAgentKind, recordOf, type AgentKind } from '../../model/agent/agent-kinds.ts';
import { modelFor, type ModelRules } from '../../model/agent/models.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { parseName, type Name } from '../../model/text/names.ts';
import { forecast, knownModel, taskSize, type ForecastTask, type PastTask, type Range } from '../budget/forecast.ts';
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

/** What a run will use, by earlier runs; each figure is null if they do not tell it. */
export interface Estimate {
  /** The least number of turns of models: one for each task that a model does, and one for each plan and verification. */
  readonly leastTurns: number;
  /** Turns of models. */
  readonly turns: Range | null;
  /** Input and output. */
  readonly tokens: Range | null;
  /** US dollars. */
  readonly usd: Range | null;
  /** Milliseconds in which members work, without the gates. */
  readonly durationMs: Range | null;
  /** Finished tasks of earlier runs that are compared with. */
  readonly pastTasks: number;
  /** Kinds of model agents that finished no task in an earlier run. */
  readonly unknown: readonly AgentKind[];
}

export interface ExpectedWork {
  readonly followUps: readonly ExpectedFollowUp[];
  readonly estimate: Estimate;
}

/**
 * @param deepest the most follow-ups of a chain
 * @param past finished tasks of earlier runs
 * @param models which model an agent works with
 */
export function expectedWork(plan: Plan, deepest: number, past: readonly PastTask[], models: ModelRules): ExpectedWork {
  const followUps = plan.cascade ? expectedFollowUps(plan, deepest) : [];
  return { followUps, estimate: estimateOf(plan, followUps, past, models) };
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
  finished: readonly PastTask[],
  models: ModelRules,
): Estimate {
  const work = [...plan.tasks.map((task) => plannedWork(task, plan)), ...followUps.map((one) => addedWork(one, plan))];
  const byModels = work.flatMap(({ doers, text, blockedBy }) => {
    const able = doers.filter(({ agent }) => isModel(agent.kind));
    return able.length === 0 ? [] : [{ doers: able, text, blockedBy }];
  });
  const plans = plan.tasks.filter((task) =>
    mayWork(task, plan).some(({ agent, planApproval }) => planApproval && agent && isModel(agent.kind)),
  );
  const verifications = plan.gates.crossVerify && (plan.reviewer === undefined || isModel(plan.reviewer.kind)) ? 1 : 0;
  const kinds = [...new Set(byModels.flatMap(({ doers }) => doers.map(({ agent }) => agent.kind)))];
  // Each command takes its own time: another one tells nothing of it, so that the time of a run with commands is not known.
  const past = finished.filter(({ agent }) => isAgentKind(agent) && isModel(agent));
  // What models use does not depend on the order of the work, and not on what commands do.
  const used = forecast(
    byModels.map((one) => ({ ...comparable(one, models), blockedBy: [] })),
    past,
  );
  const all = forecast(
    work.map((one) => comparable(one, models)),
    past,
  );
  return {
    leastTurns: byModels.length + plans.length + (byModels.length > 0 ? verifications : 0),
    turns: used?.turns ?? null,
    tokens: used?.tokens ?? null,
    usd: used?.usd ?? null,
    durationMs: all?.durationMs ?? null,
    pastTasks: used === undefined ? 0 : past.filter(({ agent }) => kinds.some((kind) => kind === agent)).length,
    unknown: kinds.filter((kind) => !past.some(({ agent }) => agent === kind)),
  };
}

/** A task that is planned or will be added, with who may do it. */
interface ExpectedTask {
  readonly doers: readonly { readonly member: number; readonly role: Name; readonly agent: AgentSpec }[];
  readonly text: { readonly subject: string; readonly description: string };
  readonly blockedBy: readonly number[];
}

function plannedWork(task: PlannedTask, plan: Plan): ExpectedTask {
  const able = new Set(mayWork(task, plan));
  const doers = plan.members.flatMap((one, member) =>
    one.agent !== undefined && able.has(one) ? [{ member, role: one.role, agent: one.agent }] : [],
  );
  return { doers, text: task, blockedBy: task.blockedBy };
}

/** A follow-up is done by a member that is added for it, else by any member that an agent helps. */
function addedWork({ subject, role, of, depth }: ExpectedFollowUp, { members, spare }: Plan): ExpectedTask {
  const helpers = members.flatMap(({ agent }, member) =>
    agent && agent.kind !== 'exec' ? [{ member, role, agent }] : [],
  );
  const added = spare && [{ member: members.length + of, role, agent: spare }];
  return { doers: added ?? helpers, text: { subject, description: '' }, blockedBy: depth === 1 ? [of - 1] : [] };
}

const comparable = ({ doers, text, blockedBy }: ExpectedTask, models: ModelRules): ForecastTask => ({
  doers: doers.map(({ member, role, agent }) => ({
    member,
    traits: { role, agent: agent.kind, model: knownModel(modelFor(agent, models)), size: taskSize(text) },
  })),
  blockedBy,
});

/** Commands and replayed scripts ask no model. */
const isModel = (kind: AgentKind): boolean => !['command', 'script'].includes(recordOf(kind).drive);
