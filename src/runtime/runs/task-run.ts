/**
 * A run of a task, up to its team: chooses the agents, divides the work, and makes a plan under a free name. After that
 * it is a run like that of any plan. Also finds an unfinished run of the same words, which is resumed.
 */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { configuredAgents, type Config } from '../../model/config/config.ts';
import { codeOf, isTeamError, UsageError } from '../../model/text/errors.ts';
import { LEAD, parseName, type Name } from '../../model/text/names.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { RoleSpec } from '../../model/pipeline/role-spec.ts';
import type { Division } from '../../policy/divide/decompose.ts';
import { planOfDivision, specText } from '../../policy/divide/division-plan.ts';
import { divisionText } from '../../policy/divide/division-text.ts';
import { misfit } from '../../policy/divide/role-fit.ts';
import type { Labelled, Staffing } from '../../policy/divide/staffing.ts';
import { openForReading, type TeamReader } from '../../store/team/team-reader.ts';
import { findTeam } from '../../store/team/team-list.ts';
import { openStore } from '../../store/team/team-store.ts';
import { notEnforcedEvent, type NotEnforced } from '../../model/team/not-enforced.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import type { spendingEvent } from '../../model/team/spending-sum.ts';
import { ownSpender, type OwnBudget } from '../budget/own-ledger.ts';
import { realClock } from '../../os/system-clock.ts';
import { closeTeam } from './close-team.ts';
import { loadPlan } from './plan/kept-plan.ts';
import { divideTask } from './plan/planning.ts';
import { planInText, type GivenPlan } from './plan/plan-source.ts';
import { refuseNesting, type CallPlace } from './relay-call.ts';
import { abandonedRuns, isGenerated } from './existing-run.ts';
import type { Report } from '../views/report.ts';
import { makePlannedTeam, type PlannedFrom } from './plan/planned-team.ts';
import { resolveTemplate, type RunAsk } from './run-arguments.ts';
import type { SessionOptions } from './session.ts';
import { storeOptions, type OpenOptions } from '../team/team-handle.ts';
import { resolveAgents, type RequestedAgents } from './resolve-agents.ts';

interface TaskRun {
  readonly ask: RunAsk;
  readonly said: RequestedAgents;
  /** Verifies the finished work. */
  readonly reviewer?: AgentSpec | undefined;
  readonly config: Config;
  readonly root: string;
  readonly place: CallPlace;
  /** Its limits hold for the planner, too. */
  readonly session: OwnBudget;
  /** Called with each step, for people. */
  readonly say: (text: string) => void;
}

export interface PlannedTask {
  /** The division as text, in the layout of docs/specification.md R8.5. */
  readonly text: string;
  /** Sandboxes of the planner and its explorer that nothing enforced. */
  readonly notEnforced: readonly NotEnforced[];
  /** What the planner and its explorer used: it counts for the budget of the team. */
  readonly spent: readonly ReturnType<typeof spendingEvent>[];
  /** The plan under this name. */
  readonly named: (name: Name) => GivenPlan;
}

/** A run of a task whose workers and planner are chosen. */
export interface ResolvedTaskRun extends TaskRun {
  readonly staffing: Staffing;
  readonly planner: Labelled;
}

/**
 * Chooses the planner and the agents that may work. No agent is called yet.
 *
 * @throws UsageError, `POLICY_DENIED` inside another run; AgentError `AGENT_UNAVAILABLE` with what was probed;
 * StoreError `UNTRUSTED` for a project's own template or role
 */
export async function resolveTaskRun(run: TaskRun): Promise<ResolvedTaskRun> {
  const { ask, said, config, root, place, say } = run;
  refuseNesting(place.environment, 'A run');
  const { template, roles, warnings } = resolveTemplate(ask.spec, root, config);
  for (const warning of warnings) say(warning);
  requireFittingRoles(ask, roles);
  const routes = template?.workers.flatMap(({ route }) => route) ?? [];
  const { planner, ...resolved } = await resolveAgents(said, config, place.environment, routes);
  const staffing = { spec: ask.spec, roles, config, ...resolved };
  return { ...run, planner, staffing: template === undefined ? staffing : { ...staffing, template } };
}

/**
 * @throws UsageError `USAGE` if the task does not fit the role that every worker would have (docs/specification.md
 * R8.8)
 */
function requireFittingRoles({ spec, task }: RunAsk, roles: ReadonlyMap<Name, RoleSpec>): void {
  const role = spec.kind === 'count' ? roles.get(spec.role) : undefined;
  const why = role && misfit(role, task);
  if (why !== undefined) throw new UsageError('USAGE', `${why}; choose another role for it.`);
}

/**
 * @returns undefined when `signal` aborted first
 * @throws AgentError if the planner failed, `AGENT_BAD_OUTPUT` with what was wrong with its answers
 */
export async function planTask(resolved: ResolvedTaskRun, signal: AbortSignal): Promise<PlannedTask | undefined> {
  const { ask, config, place, session, say, staffing, planner } = resolved;
  const { task } = ask;
  const notEnforced: NotEnforced[] = [];
  const telling: CallPlace = {
    ...place,
    onNotEnforced(told) {
      notEnforced.push(told);
      place.onNotEnforced(told);
    },
    spender: () => spender,
    onSpent: (event) => spent.push(event),
  };
  const spender = await ownSpender(session);
  const spent: PlannedTask['spent'][number][] = [];
  const asked = { task, staffing, planner, say, timeoutMs: config.relayTimeoutMs };
  const division = await divideTask(asked, telling, signal);
  if (division === undefined) return undefined;
  return {
    notEnforced,
    spent,
    text: divisionText(division, { task, template: staffing.template?.name ?? 'custom' }),
    named: (name) => planOf(division, name, resolved),
  };
}

/** Writes the plan as text and parses it, so that a resume reads exactly the same plan. */
function planOf(
  division: Division,
  name: Name,
  { ask, config, place, reviewer, staffing, planner }: ResolvedTaskRun,
): GivenPlan {
  const run = { name, task: ask.task, staffing, planner: planner.agent, config };
  const value = planOfDivision(division, run);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  const agents = configuredAgents(config);
  const { maxMembers } = config;
  const context = { cwd: place.cwd, vars: {}, agents, defaultAgent: staffing.usual.agent, reviewer, maxMembers };
  return planInText(text, context, `${name}.json`);
}

/** Seconds that a name may be ahead of the clock. */
const MOST_NAMES = 60;

export const generatedName = (later = 0): Name =>
  parseName('team', `forge-team-${Math.floor(realClock.now() / 1000) + later}`);

type TaskTeamOptions = OpenOptions & Pick<PlannedFrom, 'isolation'>;

/** Makes the team of a task that was divided; its report says what was not enforced and what was spent before. */
export async function makeTaskTeam(
  { notEnforced, spent }: Pick<PlannedTask, 'notEnforced' | 'spent'>,
  { plan, from }: GivenPlan,
  { isolation, ...options }: TaskTeamOptions,
): Promise<TeamPaths> {
  const paths = await makePlannedTeam(plan, { ...from, isolation }, options);
  if (notEnforced.length + spent.length === 0) return paths;
  const store = openStore(paths, storeOptions(options));
  try {
    for (const told of notEnforced) store.events.append(notEnforcedEvent(told));
    for (const event of spent) store.events.append({ member: LEAD, ...event });
  } finally {
    await store.close();
  }
  return paths;
}

/** Makes the team under `forge-team-<unix-seconds>`; if the name exists, under the next second. */
export async function makeGeneratedTeam(
  planned: PlannedTask,
  options: TaskTeamOptions,
): Promise<{ paths: TeamPaths; given: GivenPlan }> {
  for (let later = 0; ; later += 1) {
    const given = planned.named(generatedName(later));
    try {
      return { paths: await makeTaskTeam(planned, given, options), given };
    } catch (error) {
      if (codeOf(error) !== 'TEAM_EXISTS' || later >= MOST_NAMES) throw error;
    }
  }
}

/** The last unfinished run under this root with the same spec and task and without a lead. */
export function unfinishedRun(root: string, ask: RunAsk, config: Config): TeamPaths | undefined {
  const agents = configuredAgents(config);
  const same = abandonedRuns(root).flatMap((name) => {
    const team = findTeam(root, name);
    return team &&
      isSameTask(
        ask,
        planIn(team.paths, (store) => loadPlan(store, agents)),
      )
      ? [team.paths]
      : [];
  });
  return same.at(-1);
}

/** Whether a plan was made from these words. */
export const isSameTask = ({ spec, task }: RunAsk, plan: Plan | undefined): boolean =>
  plan?.decomposed?.task === task && plan.decomposed.spec === specText(spec);

function planIn(paths: TeamPaths, load: (store: TeamReader) => Plan | undefined): Plan | undefined {
  const store = openForReading(paths, { clock: realClock });
  try {
    return load(store);
  } catch (error) {
    // A team with an invalid plan is not an unfinished run of this task.
    if (isTeamError(error)) return undefined;
    throw error;
  } finally {
    store.close();
  }
}

/**
 * Archives a finished team with a generated name, because no user asks for it by name (docs/specification.md R5.14). One
 * whose work landed and is not applied stays: `teams apply` takes it by itself.
 *
 * @returns the report, with the folder of the archived team
 */
export async function archiveFinished(paths: TeamPaths, report: Report, options: SessionOptions): Promise<Report> {
  const isOver = report.outcome === 'succeeded' || report.outcome === 'failed';
  if (!isOver || !isGenerated(paths.name)) return report;
  if (await hasUnapplied(paths)) return report;
  await closeTeam(paths, { purpose: 'delete', force: true, now: true }, options);
  return { ...report, folder: findTeam(paths.root, paths.name)?.paths.folder ?? report.folder };
}

async function hasUnapplied(paths: TeamPaths): Promise<boolean> {
  const store = openForReading(paths, { clock: realClock });
  try {
    if (store.config.read()?.isolation !== 'trees') return false;
    const { unappliedIn } = await import('../trees/landed-work.ts');
    return (await unappliedIn(store, new AbortController().signal)) > 0;
  } finally {
    store.close();
  }
}
