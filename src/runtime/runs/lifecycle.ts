/** A team's life beyond one run: serving it, closing it, resuming it, asking its lead for another teammate. */
import { ConflictError, isTeamError, StoreError, UsageError } from '../../model/text/errors.ts';
import { count } from '../../model/board/board.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { parsePlan, reviewedBy, type Plan } from '../../model/plan/plan.ts';
import type { AgentSpec } from '../../model/agent/agent.ts';
import { leaseOwner, mayLive } from '../../store/team/lease.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { isOwnPlan, readPlanFile, type KeptPlan } from '../../store/board/plan-record.ts';
import { readdressReport } from '../../store/board/report-files.ts';
import { livenessIn } from '../../store/team/roster.ts';
import { archive, archiveUnread, listTeams } from '../../store/team/team-list.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { openStore } from '../../store/team/team-store.ts';
import type { Report } from '../views/report.ts';
import { holdUnread } from '../lead/leadership.ts';
import type { GivenPlan } from './plan/plan-source.ts';
import { planHash } from './plan/planned-team.ts';
import { runTeam, type RunOptions } from './run.ts';
import { RunSession, type SessionOptions } from './session.ts';
import type { TeamHandle } from '../team/team-handle.ts';
import type { CloseResult } from '../../model/member/member-status.ts';
import { requireWorkPlace } from '../../store/team/work-place.ts';
import { configuredGates } from '../landing/gates.ts';
import type { LandingQueue } from '../landing/landing-queue.ts';
import { keepStart } from './safety-point.ts';

/** The relay looks for teams that have left the store once a second. */
const ARCHIVED_MS = 30_000;

interface CloseOptions {
  readonly purpose: 'delete' | 'cancel';
  /** Stop members even if they refuse. */
  readonly force?: boolean;
  /** Do not wait for members to stop by themselves. */
  readonly now?: boolean;
}

/** The plan of a team; undefined for a team without one. */
export function loadPlan(
  store: Pick<TeamStore, 'disk' | 'paths'>,
  agents: ReadonlyMap<string, AgentSpec> = new Map(),
): Plan | undefined {
  const kept = readPlanFile(store.disk, store.paths);
  return kept && planOfKept(kept, agents);
}

/** A plan from its text as it was given. */
export function planOfKept(
  { text, file, format, vars, agent, reviewer }: KeptPlan,
  agents: ReadonlyMap<string, AgentSpec>,
): Plan {
  return reviewedBy(parsePlan({ text, file, format }, vars, agents, agent), reviewer);
}

/**
 * Reads the plan of a team again, for the end of a run: `teams up` may have changed it.
 *
 * @param given the plan with which the run began: if its text is the same, it is not parsed again
 * @returns undefined for one that is not this user's
 */
export const currentPlan =
  (agents: ReadonlyMap<string, AgentSpec> = new Map(), given?: GivenPlan) =>
  (store: TeamStore): Plan | undefined => {
    const kept = readPlanFile(store.disk, store.paths);
    if (kept === undefined) return undefined;
    const isSame = given !== undefined && isSamePlan(kept, given.from.kept);
    const plan = isSame ? given.plan : planOfKept(kept, agents);
    return isPlanTrusted(store, plan) ? plan : undefined;
  };

function isSamePlan(one: KeptPlan, other: KeptPlan): boolean {
  const rest = ({ file, format, vars, agent, reviewer }: KeptPlan): string =>
    JSON.stringify([file, format, vars, agent, reviewer]);
  return one.text === other.text && rest(one) === rest(other);
}

/** True while a process leads the team. */
export const isLed = (store: TeamStore): boolean => mayLive(leaseOwner(store.disk, store.paths, LEAD));

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
 * Ends a team and archives it. Its living lead ends it; without one this process does.
 *
 * @throws ConflictError `STILL_RUNNING` naming the members that refuse; then nothing is archived; StoreError
 *   `NEWER_VERSION`, unless it is forced
 */
export async function closeTeam(
  paths: TeamPaths,
  { purpose, force = false, now = false }: CloseOptions,
  options: SessionOptions,
): Promise<CloseResult> {
  const store = openStore(paths, options.store);
  try {
    if (force && isNewer(store)) return await closeUnread(store);
    const names = [...store.board.fold().members.keys()];
    const stopped = isLed(store)
      ? await askLead(store, { force, now }, options)
      : await closeAlone(paths, names, { force, now, purpose }, options);
    const { completed, total } = count(store.board.fold());
    await store.board.append({ person: LEAD, epoch: store.board.board.lead.epoch }, () => ({ type: 'team.closed' }));
    store.events.append({ type: purpose === 'cancel' ? 'team.cancelled' : 'team.deleted' });
    readdressReport(store.disk, paths.folder, store.isShared ? await archiveShared(store) : archive(store));
    return { stopped, completed, total };
  } finally {
    await store.close();
  }
}

/**
 * Archives a team in its store; the relay of each machine moves its replica to the archive there.
 *
 * @returns the new paths here
 */
async function archiveShared(store: TeamStore): Promise<TeamPaths> {
  const { paths, clock, pinned } = store;
  await store.relay.archive();
  const deadline = clock.monotonic() + ARCHIVED_MS;
  while (pinned.isThere() && clock.monotonic() < deadline) await clock.sleep(20);
  const found = listTeams(paths.root).findLast(({ name, archivedAt }) => name === paths.name && archivedAt);
  if (!pinned.isThere() && found) return found.paths;
  throw new StoreError(
    'ENGINE_UNREACHABLE',
    `Team ${paths.name} is archived in the store, and the relay of ${paths.root} has not moved its folder: \`teams list\` shows when it has.`,
  );
}

function isNewer({ board }: TeamStore): boolean {
  try {
    board.fold();
    return false;
  } catch (error) {
    if (isTeamError(error) && error.code === 'NEWER_VERSION') return true;
    throw error;
  }
}

/** One line of a newer version in the log must not keep a team from being put away: it is archived as it is. */
async function closeUnread(store: TeamStore): Promise<CloseResult> {
  store.requireTrusted();
  const stopped = store.roster
    .all()
    .flatMap((one) => (one.name !== LEAD && livenessIn(one) === 'alive' ? [one.name] : []));
  const lease = await holdUnread(store);
  try {
    const { completed, total } = count(store.board.board);
    store.events.append({ type: 'team.deleted', text: 'the log has events of a newer version' });
    if (store.isShared) await archiveShared(store);
    else archiveUnread(store);
    return { stopped, completed, total };
  } finally {
    await lease.release();
  }
}

async function closeAlone(
  paths: TeamPaths,
  names: readonly Name[],
  { force, now }: Omit<CloseOptions, 'purpose'> & { purpose: string },
  options: SessionOptions,
): Promise<Name[]> {
  const session = await RunSession.open(paths, options);
  try {
    session.adopt(names);
    return await session.shutDown({ force: force ?? false, now: now ?? false });
  } finally {
    await session.close();
  }
}

/** Asks the lead to close, and waits until it has ended or says that it stays. */
async function askLead(
  store: TeamStore,
  order: { force: boolean; now: boolean },
  options: SessionOptions,
): Promise<Name[]> {
  const running = store.roster.all().filter((record) => record.name !== LEAD && record.pid !== undefined);
  const before = store.events.end();
  await store.sender.send({
    sender: LEAD,
    recipient: LEAD,
    draft: {
      type: 'message',
      kind: 'close',
      content: 'SHUTDOWN: asked by a person.',
      data: { ...order, by: 'person' },
    },
  });
  const patience = (options.shutdownTimeoutMs ?? 30_000) + 30_000;
  const deadline = store.clock.monotonic() + patience;
  while (isLed(store)) {
    const refusal = [...store.events.read(before)].find(({ event }) => event.type === 'shutdown.refused');
    if (refusal) throw new ConflictError('STILL_RUNNING', refusal.event.text ?? 'A member refuses to stop.');
    if (store.clock.monotonic() > deadline)
      throw new ConflictError(
        'STILL_RUNNING',
        `The lead of team ${store.paths.name} has not ended within ${Math.round(patience / 1000)} s; \`teams doctor\` shows its process.`,
      );
    await store.clock.sleep(20);
  }
  return running.map(({ name }) => name);
}

/**
 * Asks the living lead to start a member.
 *
 * @throws ConflictError `REFUSED` when no lead runs
 */
export async function requestSpawn({ store }: TeamHandle, member: Name): Promise<void> {
  if (!isLed(store))
    throw new ConflictError(
      'REFUSED',
      `No lead runs for team ${store.paths.name}: start one with \`teams lead ${store.paths.name}\`, or run the teammate yourself with \`teams worker ${store.paths.name} ${member}\`.`,
    );
  await store.sender.send({
    sender: LEAD,
    recipient: LEAD,
    draft: { type: 'message', kind: 'spawn', content: `Start ${member}.`, data: { member, by: 'person' } },
  });
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

/**
 * Whether the plan may give commands: gates, the lead's agent. Earlier versions did not seal it; there, the hash in the
 * sealed state vouches for all but the reviewer.
 */
export const isPlanTrusted = (store: TeamStore, plan: Plan): boolean =>
  isOwnPlan(store) ||
  (plan.reviewer === undefined && store.state.isSealed() && store.state.readOwn()?.planHash === planHash(plan));

const untrustedPlan = ({ name, plan }: TeamPaths): StoreError =>
  new StoreError(
    'UNTRUSTED',
    `The plan of team ${name} is not the one that you started on this machine, so nothing of it runs; look at ${plan}, then run \`teams doctor --trust ${name}\`.`,
    { path: plan },
  );
