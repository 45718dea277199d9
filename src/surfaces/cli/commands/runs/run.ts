/** `teams run`: runs a plan, either from a file or made from a task by a planner. */
import * as z from 'zod';
import { isPlanWord, parseName, previewPlan, UsageError, type RunOptions, type TeamPaths } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { isolationFlag } from '../../input/asked-isolation.ts';
import { budgetFlags, limitChange, requirePlaces } from '../../input/limit-change.ts';
import { cutOffAfter, duration, flag, readOptions, text, texts } from '../../input/options.ts';
import { detachRun, leadRun, leadTeamOf, type ShowProgress, type TeamToLead } from '../../input/lead-run.ts';
import { listAbandoned, readyPlan, replaceTeam, teamOfPlan } from '../../input/plan-team.ts';
import { showProgress } from '../../output/lead-terminal.ts';
import { refuseMembers } from '../../input/own-member.ts';
import { rootOf } from '../../input/root.ts';
import { warnIfCopied } from '../../input/team-choice.ts';
import { teamOfTask } from '../../input/task-team.ts';
import { settings } from '../../input/settings.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({
  agent: text,
  isolation: isolationFlag,
  planner: text,
  reviewer: text,
  name: text,
  var: texts,
  timeout: duration,
  ...budgetFlags,
  apply: flag,
  failFast: flag,
  strict: flag,
  detach: flag,
  takeover: flag,
  cutOffAfter,
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
  const plan = await readyPlan(context, words, options);
  const name = options.name === undefined ? plan.plan.name : parseName('team', options.name);
  const { members, tasks } = plan.plan;
  requirePlaces(
    options.budget.map((limit) => limitChange('set', limit)),
    { members: members.map((member) => member.name), hasTask: (id) => Number(id) > 0 && Number(id) <= tasks.length },
  );
  if (options.dryRun) {
    const named = { ...plan.plan, name };
    const { text: shown, followUps, estimate } = previewPlan(named, rootOf(context), settings(context).merged.config);
    context.result({ plan: named, followUps, estimate }, shown);
    return 0;
  }
  return lead(context, await teamOfPlan(context, plan, name, options), options);
}

async function runTask(context: CliContext, words: readonly string[], options: Options): Promise<number> {
  if (options.var.length > 0)
    throw new UsageError('USAGE', '--var sets values in a plan file; a task has no plan file.');
  const name = options.name === undefined ? undefined : parseName('team', options.name);
  const putAway = (paths: TeamPaths): Promise<void> => replaceTeam(context, paths, options);
  const team = await teamOfTask(context, words, name, options, putAway);
  if (team.kind === 'ended') return team.code;
  listAbandoned(context, rootOf(context), team.paths.name);
  return lead(context, team, options);
}

async function lead(context: CliContext, team: TeamToLead, options: Options): Promise<number> {
  const { paths } = team;
  if (team.given === undefined) warnIfCopied(context, paths);
  if (options.detach) return detachRun(context, paths, options);
  const leading = (run: RunOptions) => leadTeamOf(context, team, options, run);
  return leadRun(context, paths, options, leading, progressOf(context));
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
