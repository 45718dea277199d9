/**
 * One run of a team, from the first process to the report: start → execute → gates → shut down → report. However it
 * ends, clean-up comes before the report.
 */
import type { Board } from '../../model/board/board.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Name } from '../../model/text/names.ts';
import { ConflictError } from '../../model/text/errors.ts';
import type { Gate } from '../../model/run/run-state.ts';
import { exitCodeOf } from '../../policy/outcome.ts';
import { unresolvedVerdicts } from '../../policy/pipeline/fix-loop.ts';
import { integrate } from './integration.ts';
import { configuredGates } from '../landing/gates.ts';
import type { LandingQueue } from '../landing/landing-queue.ts';
import type { LeadEnding } from '../lead/lead-options.ts';
import { saveBaseline } from './ownership-check.ts';
import { requireNoChange } from '../../store/team/change-lock.ts';
import { keepEnd, keepStart } from './safety-point.ts';
import type { RunFacts } from '../lead/run-state.ts';
import { RunSession, type SessionOptions } from './session.ts';
import { Tasks } from '../team/task-service.ts';
import { keepReport, reportOf, type Report } from '../views/report.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { stateIn } from '../../store/team/team-reader.ts';
import { MAX_CASCADE_DEPTH } from '../../policy/supervise/cascade.ts';
import { expectedHere } from './plan/plan-preview.ts';
import { planHash, withCascade } from './plan/planned-team.ts';
import { requireWorkPlace } from '../../store/team/work-place.ts';

export interface RunOptions {
  /** First abort: stop in order; the report so far is still given. */
  readonly signal?: AbortSignal;
  /** Second abort: stop at once. */
  readonly force?: AbortSignal;
  /** Aborts with `signal` if this process must end within 3 s: present turns are interrupted. */
  readonly leave?: AbortSignal;
  readonly strict?: boolean;
  /** Reads the plan again before the gates: it may have been changed meanwhile. */
  readonly currentPlan?: (store: RunSession['store']) => Plan | undefined;
  /** Called when the teammates run, so that views have something to show. */
  readonly onStarted?: (session: RunSession) => void;
}

/**
 * Runs an existing team until its board is done, and reports.
 *
 * @param plan the plan of the team; without one the board is used as it is
 * @throws ConflictError `LEAD_ALIVE`; AgentError if a teammate does not start: what was started is then stopped
 */
export async function runTeam(
  paths: TeamPaths,
  plan: Plan | undefined,
  options: SessionOptions,
  run: RunOptions = {},
): Promise<Report> {
  const session = await RunSession.open(paths, plan === undefined ? options : withCascade(options, plan));
  let landing: LandingQueue | undefined;
  try {
    requireWorkPlace(session.store.disk, paths, session.store.config.readOwn());
    requireNoChange(paths.root, session.store.disk);
    session.prepare();
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
            ...estimateOf(session, plan, options),
          }
        : {}),
    });
    const unkept = await keepStart(session, run.signal);
    if (session.store.config.readOwn()?.isolation === 'trees') {
      const { openLanding } = await import('../landing/open-landing.ts');
      const queue = await openLanding(session, plan ?? configuredGates(session), unkept, run.signal);
      session.endsWhere(() => queue.held);
      landing = queue;
    } else await saveBaseline(session, plan, run.signal);
    await session.start(session.startable(), run.signal);
    run.onStarted?.(session);
    const { ending, gates } = await carryOut(session, plan, run, landing);
    await landing?.stop();
    const said = landing === undefined ? [] : await changesMeanwhile(session);
    return await conclude(session, ending, gates, {
      ...run,
      notes: [...(unkept === undefined ? [] : [unkept]), ...said],
      landing,
    });
  } finally {
    try {
      await landing?.close();
    } finally {
      await session.close();
    }
  }
}

/** What is told before the first life of a run; a later one goes on with it. */
function estimateOf({ store }: RunSession, plan: Plan, options: SessionOptions): Pick<RunFacts, 'estimate'> {
  const { agents, limits } = options;
  if (agents === undefined || stateIn(store)?.planHash !== undefined) return {};
  const { cascadeDepth = MAX_CASCADE_DEPTH } = limits;
  const { estimate } = expectedHere(plan, store.paths.root, { ...agents, cascadeDepth });
  const { turns, tokens, usd, durationMs, pastTasks, unknown } = estimate;
  return { estimate: { turns, tokens, usd, durationMs, pastTasks, unknown: [...unknown] } };
}

async function changesMeanwhile(session: RunSession): Promise<string[]> {
  const { checkoutChanges } = await import('../landing/checkout-changes.ts');
  return checkoutChanges(session);
}

const promptOf = ({ name, decomposed }: Plan): Pick<RunFacts, 'prompt' | 'template' | 'boundaryFiles'> =>
  decomposed === undefined
    ? { prompt: name }
    : {
        prompt: decomposed.task,
        template: decomposed.template,
        boundaryFiles: decomposed.boundaryFiles.map(({ file }) => file),
      };

/** Runs the work and the gates, and again as long as the integration finds something to fix. */
async function carryOut(
  session: RunSession,
  given: Plan | undefined,
  { signal, currentPlan }: Pick<RunOptions, 'signal' | 'currentPlan'>,
  landing: LandingQueue | undefined,
): Promise<{ ending: LeadEnding; gates: readonly Gate[] }> {
  for (;;) {
    const ending = await session.run(signal);
    const verdicts = verdictGates(session.store.board.fold());
    if (ending.why !== 'finished' || given === undefined) return { ending, gates: verdicts };
    const changed = currentPlan?.(session.store);
    if (changed !== undefined && changed !== given) await session.note({ planHash: planHash(changed) });
    const plan = changed ?? given;
    const { gates: checked, fixes } = await integrate(session, plan, signal, landing);
    const gates = [...verdicts, ...checked];
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

/** A verdict that nothing resolved is a failed gate (docs/specification.md R8.22). */
function verdictGates(board: Board): Gate[] {
  const open = unresolvedVerdicts(board);
  if (open.length === 0) return [];
  const notes = `NEEDS_FIX is not resolved: ${open.join('; ')}`;
  return [{ name: 'verdicts', result: 'fail', notes }];
}

/** Stops every process, then reports; in this order on every path. */
async function conclude(
  session: RunSession,
  ending: LeadEnding,
  gates: readonly Gate[],
  run: RunOptions & { readonly notes: readonly string[]; readonly landing: LandingQueue | undefined },
): Promise<Report> {
  // What a limit stopped goes on with a higher one; what waits for a person, after the cure.
  const isInterrupted = ['stopped', 'spent', 'refused'].includes(ending.why);
  if (ending.why === 'spent') session.tell({ type: 'run.stopped', text: ending.what });
  await session.note({ status: 'completing', phase: 'shutdown' });
  await stopAll(session, ending, run);
  // Before the run counts as ended: a lead that is killed in it leaves it to the next one.
  await run.landing?.close();
  const unkept = await keepEnd(session);
  const judged = exitCodeOf(session.store.board.fold(), gates, { strict: run.strict ?? false });
  const exitCode = ending.why === 'spent' ? 1 : ending.why === 'refused' ? ending.error.exitCode : judged;
  const waitsFor = ending.why === 'refused' && ending.error.code === 'UNTRUSTED' ? 'trust' : undefined;
  const status = isInterrupted ? 'active' : exitCode === 0 ? 'shutdown' : 'failed';
  const phase = isInterrupted ? 'executing' : 'complete';
  await session.note({ status, phase, gates, waitsFor, ...(isInterrupted ? {} : { exitCode }) });
  const notes = [...notesOf(ending, session.store.paths.name), ...run.notes, ...(unkept === undefined ? [] : [unkept])];
  const report = reportOf(session.store, { gates: [...gates], notes, exitCode, prices: session.prices });
  keepReport(session.store, report);
  if (ending.why !== 'stopped') await session.finished(report);
  return report;
}

function notesOf(ending: LeadEnding, team: Name): string[] {
  switch (ending.why) {
    case 'stuck':
      return [`The run could not go on: ${ending.what}`];
    case 'spent':
      return [
        `The run could not go on: ${ending.what} Raise the limit, for example \`teams budget ${team} --add 5\`, and continue it: \`teams resume ${team}\`.`,
      ];
    case 'refused':
      return [`The run could not go on (${ending.error.code}): ${ending.error.message}`];
    case 'stopped':
      return ['The run was interrupted before its end.'];
    case 'closing':
    case 'finished':
      return [];
  }
}

/** Stops all members. At the end of a run a member may not refuse: a refusal is answered with force. */
async function stopAll(session: RunSession, ending: LeadEnding, { force, leave }: RunOptions): Promise<void> {
  // The limit is reached: no turn goes on.
  const hard = ending.why === 'spent' ? { force: true, now: true } : {};
  const asked = ending.why === 'closing' ? { force: ending.force, now: ending.now } : hard;
  const options = { ...asked, leaving: ending.why === 'stopped' && leave?.aborted === true, signal: force };
  try {
    await session.shutDown(options);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    await session.shutDown({ ...options, force: true });
  }
}
