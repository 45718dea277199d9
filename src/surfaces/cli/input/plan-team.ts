/** `teams run PLAN`: from the plan to the team that carries it out. */
import {
  abandonedRuns,
  closeTeam,
  decideStart,
  inspectExistingRun,
  makePlannedTeam,
  parseAgentFlag,
  planHash,
  requireHostsAhead,
  type GivenPlan,
  type Name,
  type Plan,
  type StartDecision,
  type TeamPaths,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import { refuseUnapplied } from './apply-work.ts';
import { askedIsolationOf, type IsolationFlag } from './asked-isolation.ts';
import { chooseDefaultAgent, defaultAgent, requireAgents } from './default-agent.ts';
import { excludeTeamFiles } from './git-exclude.ts';
import { sessionOf, type RunFlags, type TeamToLead } from './lead-run.ts';
import { planOf } from './plan-arguments.ts';
import { rootOf } from './root.ts';
import { settings } from './settings.ts';
import { warnIfCopied } from './team-choice.ts';
import { parseVars } from './vars.ts';

interface PlanFlags {
  readonly agent?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly var: readonly string[];
}

interface StartFlags extends RunFlags, IsolationFlag {
  readonly resume: boolean;
  readonly fresh: boolean;
}

/**
 * Reads a plan whose agents are available.
 *
 * @throws UsageError `PLAN_INVALID`, `USAGE`; AgentError `AGENT_UNAVAILABLE`
 */
export async function readyPlan(context: CliContext, words: readonly string[], flags: PlanFlags): Promise<GivenPlan> {
  const here = settings(context);
  const { agents, merged } = here;
  const written = await planOf(context, words, {
    maxMembers: merged.config.maxMembers,
    cwd: context.io.cwd,
    vars: parseVars(flags.var),
    agents,
    defaultAgent: defaultAgent(here, flags.agent),
    reviewer: flags.reviewer === undefined ? undefined : parseAgentFlag(flags.reviewer, agents),
  });
  const plan = await chooseDefaultAgent(written, here, context.io);
  await requireAgents(plan, context.io);
  return plan;
}

/**
 * Makes the team of a plan, or finds its unfinished one.
 *
 * @throws ConflictError `LEAD_ALIVE`, `TEAM_EXISTS`
 */
export async function teamOfPlan(
  context: CliContext,
  given: GivenPlan,
  name: Name,
  flags: StartFlags,
): Promise<TeamToLead> {
  const root = rootOf(context);
  const { agents } = settings(context);
  const asked = flags.resume ? 'resume' : flags.fresh ? 'fresh' : undefined;
  const isSame = (kept: Plan): boolean => planHash(kept) === planHash(given.plan);
  const choice = decideStart(name, inspectExistingRun(root, name, isSame, agents), asked, flags.takeover);
  listAbandoned(context, root, name);
  const paths = await prepare(context, choice, given, name, flags);
  return { paths, given: choice.do === 'resume' ? undefined : given };
}

/** Makes or reuses the team folder of the run. */
async function prepare(
  context: CliContext,
  choice: StartDecision,
  { plan, from }: GivenPlan,
  name: Name,
  flags: StartFlags,
): Promise<TeamPaths> {
  const { open } = settings(context);
  if (choice.do === 'resume') {
    context.info(`Continuing the unfinished team ${name}.`);
    return choice.paths;
  }
  await requireHostsAhead(rootOf(context), name, plan.members);
  if (choice.do === 'replace') {
    if (!flags.fresh) await refuseUnapplied(context, choice.paths, '--fresh');
    await replaceTeam(context, choice.paths, flags);
  }
  const isolation = askedIsolationOf(context, flags);
  const paths = await makePlannedTeam({ ...plan, name }, { ...from, isolation }, open);
  excludeTeamFiles(context);
  return paths;
}

/** Archives the team in whose place a new one comes. */
export async function replaceTeam(context: CliContext, paths: TeamPaths, flags: RunFlags): Promise<void> {
  warnIfCopied(context, paths);
  await closeTeam(paths, { purpose: 'delete', force: true }, sessionOf(settings(context).session, flags));
  context.info(`The earlier team ${paths.name} was archived.`);
}

export function listAbandoned(context: CliContext, root: string, name: Name): void {
  for (const other of abandonedRuns(root, name))
    context.info(`Team ${other} is unfinished and has no lead; \`teams resume ${other}\` continues it.`);
}
