/**
 * The teams of a root, active and archived, and how an ended one is archived. Archiving is two renames. A crash between
 * them leaves a folder with its board inside: that is not a running team, and the next call finishes the move.
 */
import type { Stats } from 'node:fs';
import process from 'node:process';
import { basename, dirname, join, resolve } from 'node:path';
import { timestamp, type Timestamp } from '../../model/text/clock.ts';
import { ConflictError, StoreError } from '../../model/text/errors.ts';
import { isName, type Name } from '../../model/text/names.ts';
import { list, lookAt, onDisk, realDisk, removeFile, type Disk } from '../files/disk.ts';
import { makeDirectory, syncDirectory } from '../files/file.ts';
import { archivePaths, rootPaths, teamPaths, teamPathsAt, type RootPaths, type TeamPaths } from '../files/paths.ts';
import { pinDirectory, type PinnedDirectory } from '../files/pinned.ts';
import { userName } from '../files/owner.ts';
import { removeTree } from '../files/remove-tree.ts';
import { removeTempsOf } from '../files/temp-files.ts';
import { realClock } from '../../os/system-clock.ts';
import { withFreeName, withName } from './name-lock.ts';
import { isTeam, type TeamStore } from './team-store.ts';

/**
 * The directory that holds `.teams`: the nearest parent that has one, else `from` itself. A `.teams` of a parent that
 * another user made, or may write, is passed over, because it would decide how teams here work.
 *
 * @param onForeign called with a sentence for each that is passed over
 * @throws StoreError `UNTRUSTED` if it is in `from` itself
 */
export function findRoot(from: string, disk: Disk = realDisk, onForeign: (text: string) => void = () => {}): string {
  const start = resolve(from);
  for (let at = start; ; at = dirname(at)) {
    const { teams } = rootPaths(at);
    const seen = lookAt(disk, teams);
    if (seen?.isDirectory() === true) {
      const why = foreignTeams(seen);
      if (why === undefined) return at;
      if (at === start) throw new StoreError('UNTRUSTED', `${teams} ${why}.`, { path: teams });
      onForeign(`${teams} is not used: it ${why}.`);
    }
    if (dirname(at) === at) return start;
  }
}

/** Root may look at the teams of every user. */
function foreignTeams({ uid, gid, mode }: Pick<Stats, 'uid' | 'gid' | 'mode'>): string | undefined {
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  if (uid !== me && me !== 0) {
    const name = userName(uid);
    return `belongs to ${name}: work in a directory of yours, or give one with --root; as ${name}, use \`sudo -u ${name} teams …\``;
  }
  // Where each user has a group of its own, a new directory may be writable for that group.
  const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
  return isOpen ? 'may be written by other users: run `chmod go-w` on it' : undefined;
}

export interface ListedTeam {
  readonly name: Name;
  readonly paths: TeamPaths;
  /** When it was archived; absent for an active team. */
  readonly archivedAt?: Timestamp;
}

/** @returns the bytes of the longest board log of an active team */
export function longestBoardLog(root: string): number {
  const active = listTeams(root).filter(({ archivedAt }) => archivedAt === undefined);
  return Math.max(0, ...active.map(({ paths }) => lookAt(realDisk, paths.log)?.size ?? 0));
}

/** Active teams by name, then archived ones by name and time. */
export function listTeams(root: string, disk: Disk = realDisk): ListedTeam[] {
  const at = rootPaths(root);
  const active = list(disk, at.teams).flatMap((file) => (isName(file) ? (findActive(root, file, disk) ?? []) : []));
  return [...active, ...listArchived(root, disk).filter(({ paths }) => lookAt(disk, paths.log))];
}

/** What the archive holds: teams, and reports that belong to no team. */
export const listArchived = (root: string, disk: Disk = realDisk): ListedTeam[] =>
  list(disk, rootPaths(root).archive).flatMap((file) => {
    const known = parseArchived(file);
    const paths = known && archivePaths(root, known.name, known.stamp);
    const isOurs = paths && (lookAt(disk, paths.log) ?? lookAt(disk, paths.reportJson));
    return isOurs ? { name: known.name, paths, archivedAt: known.archivedAt } : [];
  });

/** The team with this name: the active one, else the one that was archived last. */
export function findTeam(root: string, name: Name, disk: Disk = realDisk): ListedTeam | undefined {
  return findActive(root, name, disk) ?? listTeams(root, disk).findLast((team) => team.name === name);
}

/** A team whose archiving was cut short already has its board inside its folder; it is read there. */
export function findActive(root: string, name: Name, disk: Disk): ListedTeam | undefined {
  const paths = teamPaths(root, name);
  return [paths, boardInside(paths)].flatMap((one) => (isTeam(disk, one) ? { name, paths: one } : []))[0];
}

const boardInside = ({ root, name, folder }: TeamPaths): TeamPaths =>
  teamPathsAt(root, name, folder, join(folder, 'tasks'));

const STAMP = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z(?:-\d+)?$/;

/**
 * The time in an archived folder's name: `20260210T120000123Z`. Names have no capitals, so the two cannot be confused.
 */
export const archiveStamp = (ms: number): string => timestamp(ms).replaceAll(/[-:.]/g, '');

function parseArchived(file: string): { name: Name; stamp: string; archivedAt: Timestamp } | undefined {
  const [, name = '', stamp = ''] = /^([a-z0-9-]+?)-(\d{8}T.*)$/.exec(file) ?? [];
  const [, year, month, day, hour, minute, second, ms] = STAMP.exec(stamp) ?? [];
  if (!isName(name) || year === undefined) return undefined;
  return { name, stamp, archivedAt: `${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z` };
}

/**
 * Moves a closed team into the archive. The open store can still read; it must not write any more.
 *
 * @returns the new paths
 * @throws ConflictError `STILL_RUNNING` when the board does not say that the team is closed, `LOCK_TIMEOUT`; StoreError
 *   `TEAM_GONE` when another process archived or replaced it
 */
export function archive(store: TeamStore, stamp = archiveStamp(store.clock.now())): TeamPaths {
  const { paths, board } = store;
  if (board.fold().phase !== 'closed')
    throw new ConflictError(
      'STILL_RUNNING',
      `Team ${paths.name} is not closed; \`teams delete ${paths.name}\` ends and archives it.`,
    );
  return archiveUnread(store, stamp);
}

/** Like {@link archive}, without a look at the board: for a log that this program cannot read. */
export const archiveUnread = (store: TeamStore, stamp = archiveStamp(store.clock.now())): TeamPaths =>
  withName(store.paths.root, store.paths.name, store, () => putAway(store.disk, store.paths, stamp, store.pinned));

/**
 * Finishes archiving that a crash cut short under a root. A name that a living process holds is left to that process.
 *
 * @returns the new paths of those teams
 */
export function recoverArchive(root: string, stamp: string, disk: Disk = realDisk): TeamPaths[] {
  const names = list(disk, rootPaths(root).teams).filter(isName);
  return names
    .map((name) => teamPaths(root, name))
    .filter((paths) => isCutShort(disk, paths))
    .flatMap(
      (paths) =>
        withFreeName(root, paths.name, { disk, clock: realClock }, () => finishArchive(disk, paths, stamp)) ?? [],
    );
}

/**
 * Finishes archiving that a crash cut short; call it inside the lock of the name.
 * @returns the new paths; undefined when there is nothing to finish
 */
export function finishArchive(disk: Disk, paths: TeamPaths, stamp: string): TeamPaths | undefined {
  if (!isCutShort(disk, paths)) return undefined;
  const pinned = pinDirectory(disk, paths.folder);
  try {
    return putAway(disk, paths, stamp, pinned);
  } finally {
    pinned.close();
  }
}

const isCutShort = (disk: Disk, paths: TeamPaths): boolean =>
  lookAt(disk, boardInside(paths).log) !== undefined && lookAt(disk, paths.log) === undefined;

/** Moves a folder, and its board if there is one, to a free name in the archive; call it inside the lock of the name. */
export function putAway(disk: Disk, paths: TeamPaths, stamp: string, pinned: PinnedDirectory): TeamPaths {
  for (let again = 1; ; again += 1) {
    const to = archivePaths(paths.root, paths.name, again === 1 ? stamp : `${stamp}-${again}`);
    if (lookAt(disk, to.folder)) continue;
    try {
      move(disk, paths, to, pinned);
    } catch (error) {
      // A folder of this name appeared meanwhile: try the next one. Anything else is a failure.
      if (!lookAt(disk, to.folder)) throw error;
      continue;
    }
    removeNeedless(disk, to);
    return to;
  }
}

/**
 * Moves the board into the folder, then the folder into the archive: the second rename is the commit point. Call it
 * inside the lock of the name.
 *
 * @param pinned the team's folder, checked before each rename
 * @throws StoreError `TEAM_GONE`
 */
export function move(disk: Disk, from: TeamPaths, to: TeamPaths, pinned: PinnedDirectory): void {
  const { teams, tasks, archive: shelf } = rootPaths(from.root);
  makeDirectory(disk, shelf, { durable: true });
  pinned.check();
  if (lookAt(disk, from.board)) {
    rename(disk, from.board, boardInside(from).board);
    // A power loss must not separate the folder from its board.
    for (const directory of [from.folder, tasks]) syncDirectory(disk, directory);
    pinned.check();
  }
  rename(disk, from.folder, to.folder);
  for (const directory of [shelf, teams]) syncDirectory(disk, directory);
}

const rename = (disk: Disk, from: string, to: string): void => onDisk('archive', from, () => disk.renameSync(from, to));

/**
 * A crash between the two renames leaves a board without a team. It is kept, in the archive. Call it only while the
 * folder of that name is an empty reservation, so that the board belongs to no team.
 */
export function setAsideOrphan(disk: Disk, at: RootPaths, paths: TeamPaths, now: number): void {
  if (!lookAt(disk, paths.board)) return;
  makeDirectory(disk, at.archive, { durable: true });
  onDisk('set aside', paths.board, () =>
    disk.renameSync(paths.board, join(at.archive, `${basename(paths.board)}-tasks-${now}.orphan`)),
  );
}

/**
 * An archived team has no lead and no processes, so its leases mean nothing, and no verb waits for its log, so it needs
 * no checkpoint. If a crash leaves some, they do no harm.
 */
function removeNeedless(disk: Disk, paths: TeamPaths): void {
  for (const file of list(disk, paths.folder)) if (file.endsWith('.lock')) removeTree(disk, join(paths.folder, file));
  for (const file of list(disk, paths.processes))
    if (/\.lease\.(?:json|lock)$/.test(file)) removeFile(disk, join(paths.processes, file));
  for (const directory of [paths.tokens, paths.locks]) removeTree(disk, directory);
  // Temporary files of writers that are stopped: they do not know the new place.
  removeTempsOf(disk, paths.events);
  for (const file of list(disk, paths.board))
    if (file.startsWith(basename(paths.checkpoint))) removeFile(disk, join(paths.board, file));
}
