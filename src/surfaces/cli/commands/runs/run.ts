/** `teams run`: runs a plan, either from a file or made from a task by a planner. */
import * as z from 'zod';
import {
  abandonedRuns,
  decideStart,
  closeTeam,
  isPlanWord,
  makePlannedTeam,
  inspectExistingRun,
  planHash,
  parseAgentFlag,
  parseName,
  previewPlan,
  resumeTeam,
  runTeam,
  UsageError,
  type StartDecision,
  type GivenPlan,
  type Name,
  type Plan,
  type RunOptions,
  type TeamPaths,
} from '../../../../app.ts';
import { defaultAgent, requireAgents, chooseDefaultAgent } from '../../input/default-agent.ts';
import { excludeTeamFiles } from '../../input/git-exclude.ts';
import type { CliContext } from '../../context.ts';
import { duration, flag, money, readOptions, wholeNumber, text, texts } from '../../input/options.ts';
import { detachRun, leadRun, sessionOf, type RunFlags, type ShowProgress } from '../../input/lead-run.ts';
import { showProgress } from '../../output/lead-terminal.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { planOf } from '../../input/plan-arguments.ts';
import { rootOf } from '../../input/root.ts';
import { warnIfCopied } from '../../input/team-choice.ts';
import { teamOfTask } from '../../input/task-team.ts';
import { settings } from '../../input/settings.ts';
import { parseVars } from '../../input/vars.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  agent: text,
  planner: text,
  reviewer: text,
  name: text,
  var: texts,
  timeout: duration,
  maxCost: money,
  maxTokens: wholeNumber,
  failFast: flag,
  strict: flag,
  detach: flag,
  takeover: flag,
  dryRun: flag,
  resume: flag,
  fresh: flag,
});
type Options = z.infer<typeof schema>;

export const act: Act = async (context, given) => {
  const options = readOptions(schema, given);
  if (options.resume && options.fresh)
    throw new UsageError('USAGE', '--resume continues a run and --fresh starts a new one; use only one of them.');
  if (!options.dryRun) refuseMembers(context, 'run a plan');
  const { words } = given;
  const isPlan = words.length === 0 || isPlanWord(words, context.io.cwd);
  return isPlan ? runPlan(context, words, options) : runTask(context, words, options);
};

async function runPlan(context: CliContext, words: readonly string[], options: Options): Promise<number> {
  const here = settings(context);
  const { agents } = here;
  const written = await planOf(context, words, {
    cwd: context.io.cwd,
    vars: parseVars(options.var),
    agents,
    defaultAgent: defaultAgent(here, options.agent),
    reviewer: options.reviewer === undefined ? undefined : parseAgentFlag(options.reviewer, agents),
  });
  const plan = await chooseDefaultAgent(written, here, context.io);
  const name = options.name === undefined ? plan.plan.name : parseName('team', options.name);
  await requireAgents(plan, context.io);
  if (options.dryRun) {
    const named = { ...plan.plan, name };
    const { text: shown, followUps, estimate } = previewPlan(named, rootOf(context), here.merged.config);
    context.result({ plan: named, followUps, estimate }, shown);
    return 0;
  }
  return startPlanned(context, plan, name, options);
}

async function runTask(context: CliContext, words: readonly string[], options: Options): Promise<number> {
  if (options.var.length > 0)
    throw new UsageError('USAGE', '--var sets values in a plan file; a task has no plan file.');
  const name = options.name === undefined ? undefined : parseName('team', options.name);
  const putAway = (paths: TeamPaths): Promise<void> => replace(context, paths, options);
  const team = await teamOfTask(context, words, name, options, putAway);
  if (team.kind === 'ended') return team.code;
  const { paths, given } = team;
  listAbandoned(context, rootOf(context), paths.name);
  return lead(context, paths, given, options);
}

async function startPlanned(context: CliContext, given: GivenPlan, name: Name, options: Options): Promise<number> {
  const root = rootOf(context);
  const { agents } = settings(context);
  const asked = options.resume ? 'resume' : options.fresh ? 'fresh' : undefined;
  const isSame = (kept: Plan): boolean => planHash(kept) === planHash(given.plan);
  const choice = decideStart(name, inspectExistingRun(root, name, isSame, agents), asked, options.takeover);
  listAbandoned(context, root, name);
  const paths = await prepare(context, choice, given, name, options);
  return lead(context, paths, choice.do === 'resume' ? undefined : given, options);
}

/** @param given the plan of a new team; an unfinished team has its plan in its folder */
async function lead(
  context: CliContext,
  paths: TeamPaths,
  given: GivenPlan | undefined,
  options: Options,
): Promise<number> {
  if (given === undefined) warnIfCopied(context, paths);
  if (options.detach) return detachRun(context, paths, options);
  const { agents, session } = settings(context);
  const leading = (run: RunOptions) =>
    given === undefined
      ? resumeTeam(paths, sessionOf(session, options), run, agents)
      : runTeam(paths, given.plan, sessionOf(session, options), run);
  return leadRun(context, paths, options, leading, progressOf(context));
}

/** Makes or reuses the team folder of the run. */
async function prepare(
  context: CliContext,
  choice: StartDecision,
  { plan, from }: GivenPlan,
  name: Name,
  flags: RunFlags,
): Promise<TeamPaths> {
  const { open } = settings(context);
  if (choice.do === 'resume') {
    context.info(`Continuing the unfinished team ${name}.`);
    return choice.paths;
  }
  if (choice.do === 'replace') await replace(context, choice.paths, flags);
  excludeTeamFiles(context);
  return makePlannedTeam({ ...plan, name }, from, open);
}

async function replace(context: CliContext, paths: TeamPaths, flags: RunFlags): Promise<void> {
  warnIfCopied(context, paths);
  await closeTeam(paths, { purpose: 'delete', force: true }, sessionOf(settings(context).session, flags));
  context.info(`The earlier team ${paths.name} was archived.`);
}

function listAbandoned(context: CliContext, root: string, name: Name): void {
  for (const other of abandonedRuns(root, name))
    context.info(`Team ${other} is unfinished and has no lead; \`teams resume ${other}\` continues it.`);
}

/** A live view on a terminal, else plain lines. */
export const progressOf =
  (context: CliContext): ShowProgress =>
  (paths) =>
    showProgress(context, paths, async () => {
      const { startProgress } = await import('../../../terminal/progress-view.ts');
      const { stderr, environment } = context.io;
      return startProgress(paths, { stream: stderr, environment, color: context.flags.color });
    });
