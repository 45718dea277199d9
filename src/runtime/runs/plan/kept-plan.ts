/** The plan that a team keeps: as it was given, read again, and whether it is this user's. */
import type { AgentSpec } from '../../../model/agent/agent.ts';
import { parsePlan, reviewedBy, type Plan } from '../../../model/plan/plan.ts';
import { StoreError } from '../../../model/text/errors.ts';
import { isOwnPlan, readPlanFile, type KeptPlan } from '../../../store/board/plan-record.ts';
import type { TeamPaths } from '../../../store/files/paths.ts';
import type { TeamStore } from '../../../store/team/team-store.ts';
import type { GivenPlan } from './plan-source.ts';
import { planHash } from './planned-team.ts';

/** The plan of a team; undefined for a team without one. */
export function loadPlan(
  store: Pick<TeamStore, 'disk' | 'paths'>,
  agents: ReadonlyMap<string, AgentSpec> = new Map(),
): Plan | undefined {
  const kept = readPlanFile(store.disk, store.paths);
  return kept && planOfKept(kept, agents);
}

/** A plan from its text as it was given. */
export function planOfKept(
  { text, file, format, vars, agent, reviewer }: KeptPlan,
  agents: ReadonlyMap<string, AgentSpec>,
): Plan {
  return reviewedBy(parsePlan({ text, file, format }, vars, agents, agent), reviewer);
}

/**
 * Reads the plan of a team again, for the end of a run: `teams up` may have changed it.
 *
 * @param given the plan with which the run began: if its text is the same, it is not parsed again
 * @returns undefined for one that is not this user's
 */
export const currentPlan =
  (agents: ReadonlyMap<string, AgentSpec> = new Map(), given?: GivenPlan) =>
  (store: TeamStore): Plan | undefined => {
    const kept = readPlanFile(store.disk, store.paths);
    if (kept === undefined) return undefined;
    const isSame = given !== undefined && isSamePlan(kept, given.from.kept);
    const plan = isSame ? given.plan : planOfKept(kept, agents);
    return isPlanTrusted(store, plan) ? plan : undefined;
  };

function isSamePlan(one: KeptPlan, other: KeptPlan): boolean {
  const rest = ({ file, format, vars, agent, reviewer }: KeptPlan): string =>
    JSON.stringify([file, format, vars, agent, reviewer]);
  return one.text === other.text && rest(one) === rest(other);
}

/**
 * Whether the plan may give commands: gates, the lead's agent. Earlier versions did not seal it; there, the hash in the
 * sealed state vouches for all but the reviewer.
 */
export const isPlanTrusted = (store: TeamStore, plan: Plan): boolean =>
  isOwnPlan(store) ||
  (plan.reviewer === undefined && store.state.isSealed() && store.state.readOwn()?.planHash === planHash(plan));

/** The error for a plan that is not this user's. */
export const untrustedPlan = ({ name, plan }: TeamPaths): StoreError =>
  new StoreError(
    'UNTRUSTED',
    `The plan of team ${name} is not the one that you started on this machine, so nothing of it runs; look at ${plan}, then run \`teams doctor --trust ${name}\`.`,
    { path: plan },
  );
