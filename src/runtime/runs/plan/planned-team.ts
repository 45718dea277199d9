/** The team that a plan asks for: its members, tasks, limits and rules of follow-ups. Nothing is started. */
import { planChanges } from '../../../model/plan/plan-changes.ts';
import { canonicalPlan, type Plan } from '../../../model/plan/plan.ts';
import { defined } from '../../../model/text/defined.ts';
import { parseName } from '../../../model/text/names.ts';
import { keepPlan, type KeptPlan } from '../../../store/board/plan-record.ts';
import { hashText } from '../../../store/board/results.ts';
import type { TeamPaths } from '../../../store/files/paths.ts';
import { setLimits } from '../../budget/limits.ts';
import { requireHostsAhead } from '../../placement/required-hosts.ts';
import { newTeam } from '../../relay/new-team.ts';
import type { OpenOptions, TeamInput } from '../../team/team-handle.ts';
import type { SessionOptions } from '../session.ts';
import { treesFor, type SaidOfTrees } from '../trees-for.ts';

export const planHash = (plan: Plan): string => hashText(canonicalPlan(plan));

export interface PlannedFrom {
  readonly cwd: string;
  readonly planDir: string;
  /** The plan as it was given, for a resume. */
  readonly kept?: KeptPlan;
  /** Without it only the plan counts. */
  readonly isolation?: SaidOfTrees | undefined;
}

/** Creates the team of a plan, with its tasks; starts nothing. */
export async function makePlannedTeam(plan: Plan, where: PlannedFrom, options: OpenOptions): Promise<TeamPaths> {
  await requireHostsAhead(options.root, parseName('team', plan.name), plan.members);
  const isolation = await treesFor(plan, where.isolation, { cwd: where.cwd, root: options.root });
  const input: TeamInput = {
    profile: plan.profile,
    // In a plan file an idle member takes any task without an owner (docs/specification.md R4.3). In a planner's plan
    // every task has an owner.
    claimMode: plan.decomposed === undefined ? 'auto' : 'assigned',
    members: plan.members.map(
      ({ name, role, agent, sandbox, env, planApproval, approvals, approvalMs, where, prompt }) => ({
        name,
        role,
        env,
        planApproval,
        approvals,
        approvalMs,
        where,
        agent,
        sandbox,
        prompt,
      }),
    ),
    cwd: where.cwd,
    planDir: where.planDir,
    envPass: plan.envPass,
    isolation,
    trees: plan.trees ?? where.isolation?.needs,
    lend: plan.lend,
    changes: planChanges(plan),
    division: plan.decomposed && { shared: plan.sharedFiles, boundary: plan.decomposed.boundaryFiles },
  };
  const team = await newTeam(plan.name, input, options);
  if (where.kept) keepPlan(team.store, where.kept);
  await setLimits(team.store, [{ how: 'set', limits: plan.budgets ?? {} }]);
  await team.store.close();
  return team.paths;
}

/** A plan has follow-ups only if it says so (docs/specification.md R4.2). */
export function withCascade(options: SessionOptions, plan: Plan): SessionOptions {
  if (!plan.cascade) return options;
  const { spare, cascadeDepth } = plan;
  const byRole =
    plan.cascadeByRole &&
    new Map(Object.entries(plan.cascadeByRole).map(([role, kind]) => [parseName('role', role), kind]));
  const rules = { canSpawn: spare !== undefined, byRole };
  const limits = { ...options.limits, cascade: rules, ...defined({ cascadeDepth }) };
  return { ...options, limits, ...defined({ spare }) };
}
