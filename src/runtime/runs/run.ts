/**
 * One run of a team, from the first process to the report: start → execute → gates → shut down → report. Whatever ends
 * it, clean-up comes before the report.
 */
import type { Plan } from '../../model/plan/plan.ts';
import { canonicalPlan } from '../../model/plan/plan.ts';
import { planChanges } from '../../model/plan/plan-changes.ts';
import { parseName } from '../../model/text/names.ts';
import { ConflictError } from '../../model/text/errors.ts';
import type { Gate } from '../../model/team/team-config.ts';
import { defined } from '../../model/text/defined.ts';
import { exitCodeOf } from '../../policy/outcome.ts';
import { keepPlan, type KeptPlan } from '../../store/board/plan-record.ts';
import { hashText } from '../../store/board/results.ts';
import { integrate } from './integration.ts';
import type { LeadEnding } from '../lead/lead-options.ts';
import { saveBaseline } from './ownership-check.ts';
import { keepSafetyPoint } from './safety-point.ts';
import type { RunFacts } from '../lead/run-state.ts';
import { RunSession, type SessionOptions } from './session.ts';
import { Tasks } from '../team/task-service.ts';
import { keepReport, reportOf, type Report } from '../views/report.ts';
import { makeTeam, type OpenOptions, type TeamInput } from '../team/team-handle.ts';
import type { TeamPaths } from '../../store/files/paths.ts';

export interface RunOptions {
  /** First abort: stop in order; the report so far is given all the same. */
  readonly signal?: AbortSignal;
  /** Second abort: stop at once. */
  readonly force?: AbortSignal;
  readonly strict?: boolean;
  /** Told when teammates run: from here on views have something to show. */
  readonly onStarted?: (session: RunSession) => void;
}

export const planHash = (plan: Plan): string => hashText(canonicalPlan(plan));

export interface PlannedFrom {
  readonly cwd: string;
  readonly planDir: string;
  /** The plan as it was given, for a resume. */
  readonly kept?: KeptPlan;
}

/** Makes the team of a plan, with its tasks; nothing is started. */
export async function makePlannedTeam(plan: Plan, where: PlannedFrom, options: OpenOptions): Promise<TeamPaths> {
  const input: TeamInput = {
    profile: plan.profile,
    // A person's plan says who owns what: whoever is idle takes what has none (SPEC §5a). A planner's has an owner for all.
    claimMode: plan.decomposed === undefined ? 'auto' : 'assigned',
    members: plan.members.map(({ name, role, agent, sandbox, env, planApproval, prompt }) => ({
      name,
      role,
      env,
      planApproval,
      agent,
      sandbox,
      prompt,
    })),
    cwd: where.cwd,
    planDir: where.planDir,
    envPass: plan.envPass,
    changes: planChanges(plan),
    division: plan.decomposed && { shared: plan.sharedFiles, boundary: plan.decomposed.boundaryFiles },
  };
  const team = makeTeam(plan.name, input, options);
  if (where.kept) keepPlan(team.store.disk, team.paths, where.kept);
  await team.store.close();
  return team.paths;
}

/**
 * Runs a team that is there until its board is done, and reports.
 *
 * @param plan what it carries out; without one the board is taken as it is
 * @throws ConflictError `LEAD_ALIVE`; AgentError when a teammate does not start: what was started is stopped then
 */
export async function runTeam(
  paths: TeamPaths,
  plan: Plan | undefined,
  options: SessionOptions,
  run: RunOptions = {},
): Promise<Report> {
  const session = await RunSession.open(paths, withCascade(options, plan));
  try {
    await session.note({
      status: 'active',
      phase: 'setup',
      ...(plan
        ? {
            planHash: planHash(plan),
            crossVerify: plan.gates.crossVerify,
            ...promptOf(plan),
            sharedFiles: plan.sharedFiles,
            cascade: plan.cascade,
          }
        : {}),
    });
    const unkept = await keepSafetyPoint(session, run.signal);
    await saveBaseline(session, plan, run.signal);
    await session.start(session.startable(), run.signal);
    run.onStarted?.(session);
    const { ending, gates } = await carryOut(session, plan, run.signal);
    return await conclude(session, ending, gates, { ...run, notes: unkept === undefined ? [] : [unkept] });
  } finally {
    await session.close();
  }
}

const promptOf = ({ name, decomposed }: Plan): Pick<RunFacts, 'prompt' | 'template' | 'boundaryFiles'> =>
  decomposed === undefined
    ? { prompt: name }
    : {
        prompt: decomposed.task,
        template: decomposed.template,
        boundaryFiles: decomposed.boundaryFiles.map(({ file }) => file),
      };

/** A plan has follow-ups if it says so (SPEC §5a). */
function withCascade(options: SessionOptions, plan: Plan | undefined): SessionOptions {
  if (plan?.cascade !== true) return options;
  const { spare } = plan;
  const byRole =
    plan.cascadeByRole &&
    new Map(Object.entries(plan.cascadeByRole).map(([role, kind]) => [parseName('role', role), kind]));
  const rules = { canSpawn: spare !== undefined, byRole };
  const limits = { ...options.limits, cascade: rules };
  return { ...options, limits, ...defined({ spare }) };
}

/** Work and gates, and again as long as a verification finds something to be fixed. */
async function carryOut(
  session: RunSession,
  plan: Plan | undefined,
  signal: AbortSignal | undefined,
): Promise<{ ending: LeadEnding; gates: readonly Gate[] }> {
  for (;;) {
    const ending = await session.run(signal);
    if (ending.why !== 'finished' || plan === undefined) return { ending, gates: [] };
    const { gates, fixes } = await integrate(session, plan, signal);
    if (fixes.length === 0 || signal?.aborted === true) return { ending, gates };
    const board = new Tasks(session.store, session.speaker);
    for (const { subject, description, owner, files = [], metadata } of fixes)
      await board.add({
        subject,
        description,
        metadata: { ...metadata },
        work: { files: [...files] },
        owner,
      });
    await session.note({ phase: 'executing' });
  }
}

/** Stops every process, then reports: in that order on every path. */
async function conclude(
  session: RunSession,
  ending: LeadEnding,
  gates: readonly Gate[],
  run: RunOptions & { readonly notes: readonly string[] },
): Promise<Report> {
  const isInterrupted = ending.why === 'stopped';
  if (ending.why === 'spent') session.tell({ type: 'run.stopped', text: ending.what });
  await session.note({ status: 'completing', phase: 'shutdown' });
  await stopAll(session, ending, run);
  const judged = exitCodeOf(session.store.board.fold(), gates, { strict: run.strict ?? false });
  const exitCode = ending.why === 'spent' ? 1 : judged;
  const status = isInterrupted ? 'active' : exitCode === 0 ? 'shutdown' : 'failed';
  const phase = isInterrupted ? 'executing' : 'complete';
  await session.note({ status, phase, gates, ...(isInterrupted ? {} : { exitCode }) });
  const notes = [...notesOf(ending), ...run.notes];
  const report = reportOf(session.store, { gates: [...gates], notes, exitCode, prices: session.prices });
  keepReport(session.store, report);
  if (!isInterrupted) await session.finished(report);
  return report;
}

const notesOf = (ending: LeadEnding): string[] =>
  ending.why === 'stuck' || ending.why === 'spent'
    ? [`The run could not go on: ${ending.what}`]
    : ending.why === 'stopped'
      ? ['The run was interrupted before its end.']
      : [];

/** At the end of a run nobody may refuse: what refuses is forced. Who asked for the end may be in a hurry. */
async function stopAll(session: RunSession, ending: LeadEnding, { force }: RunOptions): Promise<void> {
  // What is spent is spent: no turn goes on.
  const hard = ending.why === 'spent' ? { force: true, now: true } : {};
  const asked = ending.why === 'closing' ? { force: ending.force, now: ending.now } : hard;
  const options = { ...asked, signal: force };
  try {
    await session.shutDown(options);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    await session.shutDown({ ...options, force: true });
  }
}
