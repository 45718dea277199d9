/** `teams run [SPEC] "TASK"`: from words to the team of a plan that somebody has agreed to. */
import {
  type CastTask,
  castTask,
  type Choice,
  choose,
  ConflictError,
  generatedName,
  type GivenPlan,
  isOf,
  makeGeneratedTeam,
  makePlannedTeam,
  meet,
  type Name,
  parseAgentFlag,
  type PlannedTask,
  planTask,
  type RunAsk,
  runAsk,
  type TeamPaths,
  unfinishedRun,
  UsageError,
} from '../../../index.ts';
import { question } from './confirm.ts';
import { mustHaveAgents } from './default-agent.ts';
import { Endings } from '../interrupts.ts';
import { tellExcluded } from './git-exclude.ts';
import type { Frame } from '../context.ts';
import { rootOf } from './root.ts';
import { settings } from './settings.ts';

export interface TaskFlags {
  readonly agent?: string | undefined;
  readonly planner?: string | undefined;
  readonly reviewer?: string | undefined;
  readonly timeout?: number | undefined;
  readonly dryRun: boolean;
  readonly resume: boolean;
  readonly fresh: boolean;
  readonly takeover: boolean;
}

/** A team to be led, and the plan when it is a new one; or the exit code of what ended here. */
export type TaskTeam =
  | { readonly is: 'team'; readonly paths: TeamPaths; readonly given?: GivenPlan }
  | { readonly is: 'ended'; readonly code: number };

const DECLINED = 1;

/** @param name what `--name` said @param putAway archives the team that a fresh one replaces */
export async function teamOfTask(
  frame: Frame,
  words: readonly string[],
  name: Name | undefined,
  flags: TaskFlags,
  putAway: (paths: TeamPaths) => Promise<void>,
): Promise<TaskTeam> {
  const { merged } = settings(frame);
  const ask = runAsk(words, rootOf(frame), merged.config);
  const choice = flags.dryRun ? { do: 'make' as const } : earlier(frame, ask, name, flags);
  if (choice.do === 'resume') {
    frame.say(`Going on with the unfinished team ${choice.paths.name}.`);
    return { is: 'team', paths: choice.paths };
  }
  const cast = await castOf(frame, ask, flags);
  mustBeAskable(frame, flags);
  const planned = await plan(cast, flags);
  if (planned.is === 'ended') return planned;
  if (flags.dryRun) return shown(frame, planned.task, name);
  if (!(await isAgreed(frame, planned.task.text))) return { is: 'ended', code: DECLINED };
  if (choice.do === 'replace') await putAway(choice.paths);
  return { is: 'team', ...(await make(frame, planned.task, name)) };
}

/** What is there already of these words, or under this name. */
function earlier(frame: Frame, ask: RunAsk, name: Name | undefined, flags: TaskFlags): Choice {
  const { agents, merged } = settings(frame);
  const root = rootOf(frame);
  const asked = flags.resume ? 'resume' : flags.fresh ? 'fresh' : undefined;
  if (name !== undefined)
    return choose(
      name,
      meet(root, name, (kept) => isOf(ask, kept), agents),
      asked,
      flags.takeover,
    );
  const paths = unfinishedRun(root, ask, merged.config);
  if (paths === undefined && flags.resume)
    throw new ConflictError(
      'NOT_READY',
      'There is no unfinished run of this task; leave --resume out, or see `teams list`.',
    );
  if (paths === undefined) return { do: 'make' };
  return { do: flags.fresh ? 'replace' : 'resume', paths };
}

/** @throws UsageError `USAGE` before anything is spent on a plan that nobody could agree to */
function mustBeAskable({ flags, isInteractive }: Frame, { dryRun }: TaskFlags): void {
  if (dryRun || flags.yes || isInteractive) return;
  throw new UsageError(
    'USAGE',
    'The division of the work needs somebody who agrees to it, and nobody is here to ask; say so with --yes, or look with --dry-run.',
  );
}

function castOf(frame: Frame, ask: RunAsk, { agent, planner, reviewer }: TaskFlags): Promise<CastTask> {
  const { merged, agents } = settings(frame);
  const { environment, cwd } = frame.outside;
  const { config } = merged;
  return castTask({
    ...{ ask, config, said: { agent, planner }, root: rootOf(frame) },
    reviewer: reviewer === undefined ? undefined : parseAgentFlag(reviewer, agents),
    place: { cwd, environment, envPass: config.envPass },
    say: (text) => frame.say(text),
  });
}

type Planning =
  { readonly is: 'planned'; readonly task: PlannedTask } | { readonly is: 'ended'; readonly code: number };

async function plan(cast: CastTask, { timeout }: TaskFlags): Promise<Planning> {
  using endings = new Endings(timeout);
  const task = await planTask(cast, endings.stop);
  return task === undefined ? { is: 'ended', code: endings.code ?? DECLINED } : { is: 'planned', task };
}

function shown(frame: Frame, task: PlannedTask, name: Name | undefined): TaskTeam {
  const { plan: made } = task.named(name ?? generatedName());
  frame.answer({ plan: made }, task.text);
  return { is: 'ended', code: 0 };
}

/** S2 1.7: the division is shown, and a person says yes; `--yes` is one who did. */
async function isAgreed(frame: Frame, text: string): Promise<boolean> {
  if (frame.flags.yes) {
    frame.say(`${text}\n`);
    return true;
  }
  const answer = (await question(`${text}\n\nProceed? [Y/n]`)).trim();
  const isYes = answer === '' || /^y(?:es)?$/i.test(answer);
  if (!isYes) frame.say('Nothing was started.');
  return isYes;
}

async function make(
  frame: Frame,
  task: PlannedTask,
  name: Name | undefined,
): Promise<{ paths: TeamPaths; given: GivenPlan }> {
  const { open } = settings(frame);
  await mustHaveAgents(task.named(name ?? generatedName()), frame.outside);
  tellExcluded(frame);
  if (name === undefined) return makeGeneratedTeam(task, open);
  const given = task.named(name);
  return { paths: await makePlannedTeam(given.plan, given.from, open), given };
}
