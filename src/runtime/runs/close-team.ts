/** The end of a team: its lead ends it, or this process does, and its folder goes to the archive. */
import { count } from '../../model/board/board.ts';
import type { CloseResult } from '../../model/member/member-status.ts';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { readdressReport } from '../../store/board/report-files.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { livenessIn } from '../../store/team/roster.ts';
import { archive, archiveUnread, listTeams } from '../../store/team/team-list.ts';
import { openStore, type TeamStore } from '../../store/team/team-store.ts';
import { holdUnread } from '../lead/leadership.ts';
import { isLed, requestClose } from './living-lead.ts';
import { RunSession, type SessionOptions } from './session.ts';

/** The relay looks for teams that have left the store once a second. */
const ARCHIVED_MS = 30_000;

interface CloseOptions {
  readonly purpose: 'delete' | 'cancel';
  /** Stop members even if they refuse. */
  readonly force?: boolean;
  /** Do not wait for members to stop by themselves. */
  readonly now?: boolean;
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
      ? await requestClose(store, { force, now }, options)
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
