/** `teams run [SPEC] "TASK"`: from the words to the team of a plan that a person approved. */
import {
  type ResolvedTaskRun,
  resolveTaskRun,
  type StartDecision,
  decideStart,
  ConflictError,
  generatedName,
  type GivenPlan,
  isSameTask,
  makeGeneratedTeam,
  makeTaskTeam,
  inspectExistingRun,
  type Name,
  notEnforcedText,
  parseAgentFlag,
  type PlannedTask,
  type PlanPreview,
  planTask,
  previewPlan,
  type RunAsk,
  runAsk,
  type TeamPaths,
  unfinishedRun,
  UsageError,
} from '../../../app.ts';
import { question } from './confirm.ts';
import { refuseUnapplied } from './apply-work.ts';
import { askedIsolationOf, type IsolationFlag } from './asked-isolation.ts';
import { requireAgents } from './default-agent.ts';
import { Interrupts } from '../interrupts.ts';
import { withLimits, type BudgetFlags } from './limit-change.ts';
import { excludeTeamFiles } from './git-exclude.ts';
import type { CliContext } from '../context.ts';
import { freeTerminal } from '../output/lead-terminal.ts';
import { rootOf } from './root.ts';
import { settings } from './settings.ts';

interface TaskFlags extends IsolationFlag, BudgetFlags {
  readonly agent?: string | undefined;
  readonly planner?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly timeout?: number | undefined;
  readonly dryRun: boolean;
  readonly resume: boolean;
  readonly fresh: boolean;
  readonly takeover: boolean;
}

/** A person who approves elsewhere than on the terminal. */
export interface RemotePerson {
  agrees(text: string): Promise<boolean>;
  /** Aborts when the person stops the planning. */
  readonly stop: AbortSignal;
}

/** A team to lead, with its plan if the team is new; or the exit code, if nothing is to be led. */
type TaskTeam =
  | { readonly kind: 'team'; readonly paths: TeamPaths; readonly given?: GivenPlan }
  | { readonly kind: 'ended'; readonly code: number };

const DECLINED = 1;

/**
 * @param name the value of `--name`
 * @param putAway archives the team that `--fresh` replaces
 * @param person by default the one at the terminal
 */
export async function teamOfTask(
  context: CliContext,
  words: readonly string[],
  name: Name | undefined,
  flags: TaskFlags,
  putAway: (paths: TeamPaths) => Promise<void>,
  person?: RemotePerson,
): Promise<TaskTeam> {
  const { merged } = settings(context);
  const ask = runAsk(words, rootOf(context), merged.config);
  const choice = flags.dryRun ? { do: 'make' as const } : earlier(context, ask, name, flags);
  if (choice.do === 'resume') {
    context.info(`Continuing the unfinished team ${choice.paths.name}.`);
    return { kind: 'team', paths: choice.paths };
  }
  const resolved = await resolveRun(context, ask, flags);
  if (person === undefined) requireApproval(context, flags);
  const planned = await plan(context, resolved, flags, person);
  if (planned.kind === 'ended') return planned;
  const preview = previewOf(context, planned.task, name);
  if (flags.dryRun) return shown(context, preview);
  if (!(await isAgreed(context, preview.text, person))) return { kind: 'ended', code: DECLINED };
  if (choice.do === 'replace') {
    if (!flags.fresh) await refuseUnapplied(context, choice.paths, '--fresh');
    await putAway(choice.paths);
  }
  return { kind: 'team', ...(await make(context, planned.task, name, flags)) };
}

/** Decides from an earlier run of this task, or of this name: make, resume or replace. */
function earlier(context: CliContext, ask: RunAsk, name: Name | undefined, flags: TaskFlags): StartDecision {
  const { agents, merged } = settings(context);
  const root = rootOf(context);
  const asked = flags.resume ? 'resume' : flags.fresh ? 'fresh' : undefined;
  if (name !== undefined)
    return decideStart(
      name,
      inspectExistingRun(root, name, (kept) => isSameTask(ask, kept), agents),
      asked,
      flags.takeover,
    );
  const paths = unfinishedRun(root, ask, merged.config);
  if (paths === undefined && flags.resume)
    throw new ConflictError(
      'NOT_READY',
      'There is no unfinished run of this task; leave out --resume, or see `teams list`.',
    );
  if (paths === undefined) return { do: 'make' };
  return { do: flags.fresh ? 'replace' : 'resume', paths };
}

/**
 * @throws UsageError `USAGE` before a planner costs anything, when neither a person nor `--yes` can approve the plan
 */
function requireApproval({ flags, isInteractive }: CliContext, { dryRun }: TaskFlags): void {
  if (dryRun || flags.yes || isInteractive) return;
  throw new UsageError(
    'USAGE',
    'The division of the work needs approval, but there is no terminal to ask on; approve it with --yes, or show it with --dry-run.',
  );
}

function resolveRun(context: CliContext, ask: RunAsk, flags: TaskFlags): Promise<ResolvedTaskRun> {
  const { agent, planner, reviewer } = flags;
  const { merged, agents } = settings(context);
  const { environment, cwd } = context.io;
  const { config } = merged;
  return resolveTaskRun({
    ask,
    config,
    said: { agent, planner },
    root: rootOf(context),
    reviewer: reviewer === undefined ? undefined : parseAgentFlag(reviewer, agents),
    place: {
      cwd,
      environment,
      envPass: config.envPass,
      isolation: config.sandbox.bwrap,
      lend: config.sandbox.lend,
      onNotEnforced: (told) => context.warn(`not enforced: ${notEnforcedText(told)}`),
    },
    session: withLimits(settings(context).session, flags),
    say: (text) => context.info(text),
  });
}

type Planning =
  { readonly kind: 'planned'; readonly task: PlannedTask } | { readonly kind: 'ended'; readonly code: number };

async function plan(
  context: CliContext,
  resolved: ResolvedTaskRun,
  { timeout }: TaskFlags,
  person: RemotePerson | undefined,
): Promise<Planning> {
  if (person !== undefined) {
    const remote = await planTask(resolved, person.stop);
    return remote === undefined ? { kind: 'ended', code: DECLINED } : { kind: 'planned', task: remote };
  }
  using interrupts = new Interrupts(timeout);
  freeTerminal(context);
  const task = await planTask(resolved, interrupts.stop);
  return task === undefined ? { kind: 'ended', code: interrupts.code ?? DECLINED } : { kind: 'planned', task };
}

interface Preview extends Omit<PlanPreview, 'lines'> {
  readonly given: GivenPlan;
}

/** The division and what its run will add to it: this is what a person approves. */
function previewOf(context: CliContext, task: PlannedTask, name: Name | undefined): Preview {
  const given = task.named(name ?? generatedName());
  const { lines, ...work } = previewPlan(given.plan, rootOf(context), settings(context).merged.config);
  return { ...work, given, text: [task.text, ...(lines.length === 0 ? [] : ['', ...lines])].join('\n') };
}

async function shown(context: CliContext, { given, text, followUps, estimate }: Preview): Promise<TaskTeam> {
  await requireAgents(given, context.io);
  context.result({ plan: given.plan, followUps, estimate }, text);
  return { kind: 'ended', code: 0 };
}

/** Shows the division of the work and asks for approval; `--yes` approves it (docs/specification.md R8.5). */
async function isAgreed(context: CliContext, text: string, person: RemotePerson | undefined): Promise<boolean> {
  if (context.flags.yes) {
    context.info(`${text}\n`);
    return true;
  }
  if (person !== undefined) return person.agrees(text);
  await context.io.own?.settled();
  const answer = (await question(`${text}\n\nProceed? [Y/n]`)).trim();
  const isYes = answer === '' || /^y(?:es)?$/i.test(answer);
  if (!isYes) context.info('Nothing was started.');
  return isYes;
}

async function make(
  context: CliContext,
  task: PlannedTask,
  name: Name | undefined,
  flags: IsolationFlag,
): Promise<{ paths: TeamPaths; given: GivenPlan }> {
  const open = { ...settings(context).open, isolation: askedIsolationOf(context, flags) };
  await requireAgents(task.named(name ?? generatedName()), context.io);
  const given = name === undefined ? undefined : task.named(name);
  const made =
    given === undefined ? await makeGeneratedTeam(task, open) : { paths: await makeTaskTeam(task, given, open), given };
  excludeTeamFiles(context);
  return made;
}
