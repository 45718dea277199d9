/** Leads one run, in the foreground or in the background, up to its report and exit code. */
import {
  currentPlan,
  ENV,
  detachLead,
  encodeTrust,
  archiveFinished,
  duration,
  otherWriters,
  reportText,
  resumeTeam,
  runTeam,
  shutdownAhead,
  type GivenPlan,
  type Report,
  type RunOptions,
  type SessionOptions,
  type TeamPaths,
} from '../../../app.ts';
import { Interrupts, TIMED_OUT } from '../interrupts.ts';
import type { ShownRun } from '../output/lead-terminal.ts';
import type { CliContext } from '../context.ts';
import { serveVerbs } from '../served-verbs/verb-server.ts';
import { applyAtEnd } from './apply-work.ts';
import { budgetWords, withLimits, type BudgetFlags } from './limit-change.ts';
import { settings } from './settings.ts';

export interface RunFlags extends BudgetFlags {
  readonly timeout?: number | undefined;
  readonly failFast: boolean;
  readonly strict: boolean;
  readonly takeover: boolean;
  readonly cutOffAfter?: number | undefined;
  /** Brings what landed into the project's files at the end. */
  readonly apply?: boolean | undefined;
}

/** The session options of a run: the configuration, overridden by the flags. */
export const sessionOf = (
  base: SessionOptions,
  { failFast, takeover, cutOffAfter, ...flags }: RunFlags,
): SessionOptions => ({
  ...withLimits(base, flags),
  cutOffAfterMs: cutOffAfter,
  failFast,
  takeover,
});

/** A team to lead, with its plan if the team is new; an unfinished team has its plan in its folder. */
export interface TeamToLead {
  readonly paths: TeamPaths;
  readonly given?: GivenPlan | undefined;
}

/** Leads a new team by its plan, or resumes an unfinished one, up to the report. */
export function leadTeamOf(
  context: CliContext,
  { paths, given }: TeamToLead,
  flags: RunFlags,
  run: RunOptions,
): Promise<Report> {
  const { agents, session } = settings(context);
  const options = sessionOf(session, flags);
  return given === undefined
    ? resumeTeam(paths, options, run, agents)
    : runTeam(paths, given.plan, options, { currentPlan: currentPlan(agents, given), ...run });
}

/** Shows the progress of a run on stderr, if it is wanted. The returned `stop` ends the display. */
export type ShowProgress = (paths: TeamPaths) => Promise<ShownRun | undefined>;

/** @returns the exit code */
export async function leadRun(
  context: CliContext,
  paths: TeamPaths,
  flags: RunFlags,
  lead: (run: RunOptions) => Promise<Report>,
  show: ShowProgress,
): Promise<number> {
  warnOfOthers(context, paths);
  using interrupts = new Interrupts(flags.timeout);
  interrupts.stop.addEventListener('abort', () => context.warn(stoppingText(context, paths, interrupts)), {
    once: true,
  });
  using _verbs = serveVerbs(context, paths);
  const progress = await show(paths);
  progress?.onStop?.(() => interrupts.press());
  let report: Report;
  try {
    const run: RunOptions = {
      signal: interrupts.stop,
      force: interrupts.force,
      leave: interrupts.leave,
      strict: flags.strict,
    };
    report = await lead(run);
    // The person mends what failed in the same view.
    while (report.outcome === 'failed' && (await progress?.ask?.(interrupts.stop)) === 'again')
      report = await leadTeamOf(context, { paths }, flags, run);
  } finally {
    await progress?.stop();
  }
  const landed = report.apply !== undefined;
  if (!landed) report = await archiveFinished(paths, report, settings(context).session);
  context.result(report, reportText(report));
  if (landed) {
    await applyAtEnd(context, paths, flags.apply ?? false);
    await archiveFinished(paths, report, settings(context).session);
  }
  const isOver = report.outcome === 'succeeded' || report.outcome === 'failed';
  if (interrupts.code === undefined || isOver) return report.exitCode;
  context.warn(
    interrupts.code === TIMED_OUT
      ? 'The run reached its time limit; continue it with:'
      : 'The run was interrupted; continue it with:',
  );
  context.io.stderr.write(`teams resume ${paths.name}\n`);
  return interrupts.code;
}

/** Two runs may work in one directory, but the person should know. */
function warnOfOthers(context: CliContext, paths: TeamPaths): void {
  for (const { name, pid } of otherWriters(paths))
    context.warn(
      `Team ${name} (led by pid ${pid ?? 'unknown'}) works in this directory, too: both may change the same files.`,
    );
}

/** What happens between the first signal and the end: also with `--quiet`, since a person who pressed Ctrl-C waits for it. */
export function stoppingText(context: CliContext, paths: TeamPaths, { leave }: Interrupts): string {
  const { busy, waitMs } = shutdownAhead(paths, settings(context).session);
  const again = 'Ctrl-C again stops at once.';
  if (busy === 0) return `Stopping the members; ${again}`;
  const tasks = `${busy} ${busy === 1 ? 'task' : 'tasks'}`;
  if (leave.aborted) return `Interrupting ${tasks}, at most 3s.`;
  return `Finishing ${tasks}, at most ${duration(waitMs)}; ${again}`;
}

/**
 * Leads the run in a detached background process.
 * @returns the exit code
 */
export async function detachRun(context: CliContext, paths: TeamPaths, flags: RunFlags): Promise<number> {
  warnOfOthers(context, paths);
  const { timeout, failFast, strict, takeover, apply, cutOffAfter } = flags;
  const args = [
    'resume',
    paths.name,
    '--root',
    paths.root,
    ...(timeout === undefined ? [] : ['--timeout', `${timeout}ms`]),
    ...(failFast ? ['--fail-fast'] : []),
    ...(strict ? ['--strict'] : []),
    ...(context.flags.yes ? ['--yes'] : []),
    ...(takeover ? ['--takeover'] : []),
    ...cutOffWords(cutOffAfter),
    ...(apply === true ? ['--apply'] : []),
    ...budgetWords(flags),
  ];
  return detached(context, paths, args);
}

/** @param ms of `--cut-off-after` */
export const cutOffWords = (ms: number | undefined): string[] =>
  ms === undefined ? [] : ['--cut-off-after', `${ms}ms`];

/** The store of a process of ours, which is given its root; TEAMS_STORE it finds by itself. */
function storeWords({ store, io }: CliContext): string[] {
  return store === undefined || (io.environment[ENV.store] ?? '') !== '' ? [] : ['--store', store.store];
}

/**
 * Starts a background lead with these arguments and prints its pid.
 * @returns the exit code
 */
export async function detached(context: CliContext, paths: TeamPaths, args: readonly string[]): Promise<number> {
  const pid = await detachLead(paths, [...args, ...storeWords(context)], {
    cwd: context.io.cwd,
    environment: { ...context.io.environment, ...encodeTrust(context.trust) },
  });
  context.result(
    { team: paths.name, pid },
    `Team ${paths.name} is led by pid ${pid}; \`teams wait ${paths.name}\` waits for its end.`,
  );
  return 0;
}
