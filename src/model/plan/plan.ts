/**
 * A plan: members, tasks and dependencies, read from a file (docs/specification.md R4.1). A `Plan` has every default
 * and has passed every check, so a caller can start it without further questions.
 */
import { findAgent, type AgentSpec, type Command, type Sandbox } from '../agent/agent.ts';
import { UsageError } from '../text/errors.ts';
import type { Profile } from '../board/event.ts';
import type { Amount, BudgetScope, BudgetLimits } from '../team/budget.ts';
import { modeOf, needsOf, type IsolationMode, type TreeNeeds } from '../team/isolation.ts';
import { lendsNothing, type Lend } from '../team/lend.ts';
import { parseName, type Name } from '../text/names.ts';
import { checkPlan } from './plan-checks.ts';
import { planFileSchema, type Decomposed, type PlanFile, type PlanFileTask } from './plan-schema.ts';
import { planOutlineOf } from './plan-outline.ts';
import { variables } from './plan-vars.ts';
import { check, MAX_PROBLEMS, type DocumentProblem } from '../text/document-problem.ts';
import { slug } from '../text/slug.ts';
import type { NewTask } from '../board/task.ts';
import { defined } from '../text/defined.ts';
import { readSource, type Located, type Source, type SourceValue } from '../text/yaml-source.ts';

export interface PlanMember {
  readonly name: Name;
  readonly role: Name;
  /** Absent: the configuration's default agent. */
  readonly agent?: AgentSpec;
  /** Absent: chosen by the role. */
  readonly sandbox?: Sandbox | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly planApproval: boolean;
  /** Labels that the host must have on which it runs; absent: it may run anywhere. */
  readonly where?: readonly string[] | undefined;
  /** Whether a person is asked before its agent changes something, and so long; absent: the configuration decides. */
  readonly approvals?: 'ask' | 'sandbox' | undefined;
  readonly approvalMs?: number | undefined;
  /** The role's prompt for its agent. */
  readonly prompt?: string | undefined;
}

/**
 * A task to add. `blockedBy` has positions in the plan; they make no cycle, and a blocker may come later in the plan.
 */
export type PlanTask = Omit<NewTask, 'blockedBy'> & { readonly blockedBy: readonly number[] };

/** A gate after all tasks: a detected command, or the given one. */
export type GateSetting = 'detect' | { readonly run: Command };

export interface Plan {
  readonly name: Name;
  readonly profile: Profile;
  readonly cwd?: string | undefined;
  readonly members: readonly PlanMember[];
  readonly tasks: readonly PlanTask[];
  readonly gates: {
    readonly ownership?: true;
    readonly build?: GateSetting | undefined;
    readonly test?: GateSetting | undefined;
    readonly lint?: GateSetting | undefined;
    readonly crossVerify: boolean;
  };
  readonly cascade: boolean;
  /** Follow-ups by the role that did the work, if they differ from the usual rules. */
  readonly cascadeByRole?: Readonly<Record<Name, 'test' | 'review' | 'none'>>;
  /** The most follow-ups of a chain; absent for the configured number. */
  readonly cascadeDepth?: number | undefined;
  /** The agent of members that follow-ups add; without it none are added. */
  readonly spare?: AgentSpec;
  /** The lead's agent: it changes the shared files as workers wish. */
  readonly lead?: AgentSpec | undefined;
  /**
   * The agent that verifies the finished work, if the user named one; else a table decides (docs/specification.md
   * R8.17).
   */
  readonly reviewer?: AgentSpec;
  readonly sharedFiles: readonly string[];
  readonly envPass: readonly string[];
  /** What its members' programs get in their isolation; absent for nothing, as in plans of earlier versions. */
  readonly lend?: Lend;
  /** Whether each member works in a tree of its own; absent: the configuration decides. */
  readonly isolation?: IsolationMode | undefined;
  /** What each tree gets besides the files that git knows; absent for nothing. */
  readonly trees?: TreeNeeds;
  /** What the team, a member or a task may use; absent where nothing is limited. */
  readonly budgets?: BudgetLimits;
  /** Present if a planner made the plan. */
  readonly decomposed?: Decomposed | undefined;
}

/**
 * @param vars values of `--var`, see `plan-vars.ts`
 * @param agents the configured agents that a member may name
 * @param defaultAgent of members without an agent
 * @throws UsageError `PLAN_INVALID` that lists every problem, each in a line `file:line:column: sentence`; nothing else
 */
export function parsePlan(
  source: Source,
  vars: Readonly<Record<string, string>> = {},
  agents: ReadonlyMap<string, AgentSpec> = new Map(),
  defaultAgent?: AgentSpec,
): Plan {
  const given = variables(vars);
  const read = readSource(source, given.readScalar);
  if (read.problems.length > 0) throw invalid(source, read.problems);
  const outline = planOutlineOf(read.value, agents, defaultAgent);
  const checked = check(planFileSchema, read.value);
  const { blockedBy, problems: misfits } = checkPlan(outline);
  const problems = [...given.problems(), ...(checked.ok ? [] : checked.problems), ...misfits];
  if (!checked.ok || problems.length > 0) throw invalid(source, located(read, problems));
  const plan = planOf(checked.value, blockedBy, agents, planName(source.file));
  return defaultAgent === undefined ? plan : withAgent(plan, defaultAgent);
}

/** The plan with `reviewer` as verifier. */
export const reviewedBy = (plan: Plan, reviewer: AgentSpec | undefined): Plan =>
  reviewer === undefined ? plan : { ...plan, reviewer, gates: { ...plan.gates, crossVerify: true } };

/** The plan with an agent for every member that has none, also for members that follow-ups add. */
export const withAgent = (plan: Plan, agent: AgentSpec): Plan => ({
  ...plan,
  members: plan.members.map((member) => ({ agent, ...member })),
  ...(plan.cascade ? { spare: agent } : {}),
});

/** The name of a plan without a name: its file's name, made legal. */
export function planName(file: string): Name {
  const base = file.split(/[/\\]/).at(-1) ?? '';
  return slug(base.replace(/\.(?:ya?ml|json)$/i, ''), parseName('team', 'plan'));
}

function planOf(
  {
    name,
    cwd,
    members,
    tasks,
    gates,
    cascade,
    decomposed,
    lead,
    sandbox,
    isolation,
    budget,
    approvals,
    approvalTimeout,
    ...rest
  }: PlanFile,
  blockedBy: readonly (readonly number[])[],
  agents: ReadonlyMap<string, AgentSpec>,
  defaultName: Name,
): Plan {
  const leads = lead === undefined ? undefined : agentOf(lead, agents);
  return {
    ...rest,
    ...defined({ isolation: modeOf(isolation) ?? (isolation && 'trees'), trees: needsOf(isolation) }),
    ...(lendsNothing(sandbox.lend) ? {} : { lend: sandbox.lend }),
    name: name ?? defaultName,
    cwd,
    members: members.map((member) => memberOf({ approvals, ...defined(member) }, agents, approvalTimeout)),
    tasks: tasks.map((task, at) => taskOf(task, blockedBy[at] ?? [], members)),
    gates: gatesOf(gates),
    cascade: cascade !== false,
    ...(typeof cascade === 'boolean' ? {} : { cascadeByRole: cascade }),
    decomposed,
    lead: leads,
    ...budgetsOf({ members, tasks, budget }),
  };
}

/** Numbers of tasks are their positions in the plan. */
function budgetsOf({ members, tasks, budget }: Pick<PlanFile, 'members' | 'tasks' | 'budget'>): Pick<Plan, 'budgets'> {
  const all: (readonly [BudgetScope, Amount | undefined])[] = [
    ['team', budget],
    ...members.map((member) => [`member.${member.name}` as const, member.budget] as const),
    ...tasks.map((task, at) => [`task.${at + 1}` as const, task.budget] as const),
  ];
  const set = all.flatMap(([scope, amount]) => (amount === undefined ? [] : [[scope, amount] as const]));
  return set.length === 0 ? {} : { budgets: Object.fromEntries(set) };
}

const agentOf = (agent: string | AgentSpec, agents: ReadonlyMap<string, AgentSpec>): AgentSpec | undefined =>
  typeof agent === 'string' ? findAgent(agent, agents) : agent;

function memberOf(
  { agent, sandbox, prompt, budget: _, approvals, ...member }: PlanFile['members'][number],
  agents: ReadonlyMap<string, AgentSpec>,
  approvalMs: number | undefined,
): PlanMember {
  const spec = agent === undefined ? undefined : agentOf(agent, agents);
  return {
    ...member,
    ...defined({ agent: spec }),
    ...defined({ approvals, approvalMs: approvals === 'sandbox' ? undefined : approvalMs }),
    sandbox,
    prompt,
  };
}

function taskOf(file: PlanFileTask, blockedBy: readonly number[], members: PlanFile['members']): PlanTask {
  const { key, subject, description, retries, required, run, prompt, verify, timeout, env, files, artifact } = file;
  const { acceptance, tier } = file;
  const owner = members.find(({ name }) => name === file.owner)?.name;
  const role = members.find((member) => member.role === file.role)?.role;
  return {
    subject,
    description,
    retries,
    required,
    blockedBy,
    metadata: { ...(acceptance.length === 0 ? {} : { acceptance }), ...defined({ tier }) },
    key,
    owner,
    role,
    work: {
      verify,
      timeoutMs: timeout,
      env,
      files,
      run,
      prompt,
      artifact,
    },
  };
}

function gatesOf({ ownership, build, test, lint, crossVerify }: PlanFile['gates']): Plan['gates'] {
  const asked = { build: gateOf(build), test: gateOf(test), lint: gateOf(lint) };
  return {
    ...(ownership ? { ownership } : {}),
    build: asked.build,
    test: asked.test,
    lint: asked.lint,
    crossVerify,
  };
}

function gateOf(asked: boolean | Command): GateSetting | undefined {
  if (typeof asked === 'boolean') return asked ? 'detect' : undefined;
  return { run: asked };
}

/** A text that is equal for equal plans, for hashing: JSON with sorted keys. The reviewer is not part of it. */
export const canonicalPlan = ({ reviewer: _, ...plan }: Plan): string =>
  JSON.stringify(plan, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

const located = (read: SourceValue, problems: readonly DocumentProblem[]): Located[] =>
  problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...read.locate(problem), text: problem.text }));

function invalid({ file }: Source, problems: readonly Located[]): UsageError {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.col - b.col);
  const lines = sorted.map(({ line, col, text }) => `${file}:${line}:${col}: ${text}`);
  return new UsageError('PLAN_INVALID', [...new Set(lines)].join('\n'));
}
