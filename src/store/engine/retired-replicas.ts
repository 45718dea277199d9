/** Replicas of teams that have left the store: they go to the archive of their root. */
import type { Clock } from '../../model/text/clock.ts';
import { parseBoardLine } from '../../model/board/board-line.ts';
import { codeOf } from '../../model/text/errors.ts';
import { isName, type Name } from '../../model/text/names.ts';
import { list, realDisk } from '../files/disk.ts';
import { Journal, linesOf } from '../files/journal.ts';
import { rootPaths, teamPaths, type TeamPaths } from '../files/paths.ts';
import { pinDirectory } from '../files/pinned.ts';
import { replicaOf } from '../replica/replica-root.ts';
import { noteDeparture } from '../replica/unfinished-moves.ts';
import { withFreeName, withName } from '../team/name-lock.ts';
import { archiveStamp, putAway } from '../team/team-list.ts';
import { isTeam } from '../team/team-store.ts';

/** The teams with a folder in a root, each with its id; undefined for one without any record yet. */
export const replicasIn = (root: string): Map<Name, string | undefined> =>
  new Map(
    list(realDisk, rootPaths(root).teams).flatMap((file): [Name, string | undefined][] => {
      if (!isName(file)) return [];
      const paths = teamPaths(root, file);
      return isTeam(realDisk, paths) ? [[file, teamIdIn(paths)]] : [];
    }),
  );

/**
 * Whoever has it open hears `TEAM_GONE`.
 *
 * @returns where it is then
 * @throws ConflictError `LOCK_TIMEOUT`
 */
export function retireReplica(root: string, name: Name, clock: Clock): TeamPaths {
  return withName(root, name, { disk: realDisk, clock }, () => moved(root, name, clock));
}

/**
 * The same, without waiting, for one whose last record is here: if that is not its end, it was moved to files.
 *
 * @returns false while another process holds the name
 */
export function retireIfFree(root: string, name: Name, clock: Clock): boolean {
  const paths = teamPaths(root, name);
  if (!isTeam(realDisk, paths)) return true;
  const isRetired = withFreeName(root, name, { disk: realDisk, clock }, () => {
    const store = replicaOf(realDisk, root);
    // What has no record was killed before it was read from the store.
    if (store !== undefined && teamIdIn(paths) !== undefined && !isClosed(paths)) noteUnlessFull(paths, store);
    return moved(root, name, clock);
  });
  return isRetired !== undefined;
}

function isClosed({ log }: TeamPaths): boolean {
  return linesOf(realDisk, log).some((line) => {
    const read = line.includes('"team.closed"') ? parseBoardLine(line) : undefined;
    return read?.kind === 'event' && read.event.type === 'team.closed';
  });
}

/** A full disk keeps no team in its place that has left. */
function noteUnlessFull({ folder }: TeamPaths, store: string): void {
  try {
    noteDeparture(folder, { store, way: 'from' });
  } catch (error) {
    if (codeOf(error) !== 'NO_SPACE') throw error;
  }
}

/** Whether no other process holds the name now. */
export const isFree = (root: string, name: Name, clock: Clock): boolean =>
  withFreeName(root, name, { disk: realDisk, clock }, () => true) === true;

function moved(root: string, name: Name, clock: Clock): TeamPaths {
  const paths = teamPaths(root, name);
  const pinned = pinDirectory(realDisk, paths.folder);
  try {
    return putAway(realDisk, paths, archiveStamp(clock.now()), pinned);
  } finally {
    pinned.close();
  }
}

/** The id of a team, by the first record of its log. */
export function teamIdIn({ log }: Pick<TeamPaths, 'log'>): string | undefined {
  const journal = new Journal(realDisk, log);
  try {
    for (const line of journal.read()) {
      const read = line.kind === 'text' ? parseBoardLine(line.text) : undefined;
      return read?.kind === 'event' && read.event.type === 'log.opened' ? read.event.team : undefined;
    }
    return undefined;
  } finally {
    journal.close();
  }
}
