/** A team that exists is led: it is served until it is closed, or its run is resumed. */
import { isTeamError, StoreError, UsageError } from '../../model/text/errors.ts';
import { LEAD } from '../../model/text/names.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { readPlanFile } from '../../store/board/plan-record.ts';
import { openStore } from '../../store/team/team-store.ts';
import { requireWorkPlace } from '../../store/team/work-place.ts';
import { configuredGates } from '../landing/gates.ts';
import type { LandingQueue } from '../landing/landing-queue.ts';
import type { Report } from '../views/report.ts';
import { isLed } from './living-lead.ts';
import { currentPlan, isPlanTrusted, loadPlan, untrustedPlan } from './plan/kept-plan.ts';
import { runTeam, type RunOptions } from './run.ts';
import { keepStart } from './safety-point.ts';
import { RunSession, type SessionOptions } from './session.ts';

/**
 * Leads an existing team until it is told to close: starts its members, supervises them, and stays when the board is
 * done.
 *
 * @returns the exit code of a lead that ended in order
 */
export async function leadTeam(
  paths: TeamPaths,
  options: SessionOptions,
  { onStarted, ...run }: RunOptions = {},
): Promise<number> {
  const session = await RunSession.open(paths, { ...options, unattended: false, endsWhenDone: false });
  let landing: LandingQueue | undefined;
  try {
    const config = session.store.config.readOwn();
    requireWorkPlace(session.store.disk, paths, config);
    if (config?.isolation === 'trees') landing = await landingOf(session, run.signal);
    await session.start(session.startable(), run.signal);
    onStarted?.(session);
    await serveUntilClosed(session, run);
    await landing?.close();
    await session.note({ status: 'shutdown', phase: 'complete' });
    return 0;
  } finally {
    try {
      await landing?.close();
    } finally {
      await session.close();
    }
  }
}

/** @throws UsageError `USAGE` for a team with a plan: its gates are a run's; AgentError `NO_ISOLATION` */
async function landingOf(session: RunSession, signal: AbortSignal | undefined): Promise<LandingQueue> {
  const { disk, paths } = session.store;
  if (readPlanFile(disk, paths) !== undefined)
    throw new UsageError(
      'USAGE',
      `The members of team ${paths.name} have trees of their own, which a run of its plan lands: \`teams resume ${paths.name}\`.`,
    );
  const unkept = await keepStart(session, signal);
  // Without trees no module of theirs is loaded.
  const { openLanding } = await import('../landing/open-landing.ts');
  return openLanding(session, configuredGates(session), unkept, signal);
}

async function serveUntilClosed(session: RunSession, { signal, force, leave }: RunOptions): Promise<void> {
  const stopping = () => ({ force: true, leaving: leave?.aborted === true });
  for (;;) {
    const ending = await session.run(signal);
    const asked = ending.why === 'closing' ? { force: ending.force, now: ending.now } : stopping();
    try {
      await session.shutDown({ ...asked, signal: force });
      return;
    } catch (error) {
      // A member refused, and may: the team goes on. The event below tells the process that asked.
      if (!isTeamError(error) || error.code !== 'STILL_RUNNING') throw error;
      session.tell({ type: 'shutdown.refused', text: error.message });
    }
  }
}

/**
 * Resumes an unfinished run: orphaned tasks are released, the rest goes on where it was.
 *
 * @throws StoreError `TEAM_GONE` for a team that was cancelled; `UNTRUSTED` for a plan that is not this user's
 */
export async function resumeTeam(
  paths: TeamPaths,
  options: SessionOptions,
  run: RunOptions = {},
  agents?: ReadonlyMap<string, AgentSpec>,
): Promise<Report> {
  const store = openStore(paths, options.store);
  let plan: Plan | undefined;
  try {
    const { phase } = store.board.fold();
    if (phase === 'closed')
      throw new StoreError('TEAM_GONE', `Team ${paths.name} was cancelled; it cannot be resumed.`, {
        path: paths.folder,
      });
    if (store.board.board.profile === 'relay' && store.config.readOwn()?.isolation === 'trees')
      throw new UsageError(
        'USAGE',
        `Team ${paths.name} is a refine loop, whose verdicts ended with it: run \`teams refine\` again. What its backends made is kept; \`teams apply ${paths.name}\` brings what landed.`,
      );
    // Who resumes a run wants it to go on.
    if (phase === 'paused' && (options.takeover === true || !isLed(store)))
      await store.board.append({ person: LEAD, epoch: store.board.board.lead.epoch }, () => ({
        type: 'team.unpaused',
      }));
    plan = loadPlan(store, agents);
    if (plan !== undefined && !isPlanTrusted(store, plan)) throw untrustedPlan(paths);
  } finally {
    await store.close();
  }
  return runTeam(paths, plan, options, { currentPlan: currentPlan(agents), ...run });
}
