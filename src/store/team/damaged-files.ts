/** Teams whose config cannot be read: the whole team is set aside, and a person repairs it. */
import { join } from 'node:path';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import { LEAD } from '../../model/text/names.ts';
import { isMissing, lookAt, storeFailure } from '../files/disk.ts';
import { leaseOwner, mayLive, placeOf } from './lease.ts';
import { rootPaths, teamPathsAt } from '../files/paths.ts';
import { pinDirectory } from '../files/pinned.ts';
import { withName } from './name-lock.ts';
import type { TeamReader } from './team-reader.ts';
import { move } from './team-list.ts';

/**
 * Why a team cannot be used: its config is missing or unreadable. Undefined when the config is fine.
 *
 * @throws StoreError `NEWER_VERSION`: a newer program's file is not damaged, and is not touched
 */
export function isBroken({ paths, config }: Pick<TeamReader, 'paths' | 'config'>): string | undefined {
  try {
    return config.read() === undefined ? `${paths.config} is missing.` : undefined;
  } catch (error) {
    if (isTeamError(error) && error.code === 'CORRUPT') return error.message;
    throw error;
  }
}

/**
 * Refuses a team with an unreadable config, after moving it into the archive as `<team>.broken-<time>`. While a lead
 * lives, nothing is moved.
 *
 * @param stamp from `archiveStamp`
 * @param options.whileLed a team that a lead leads is not refused
 * @throws StoreError `CORRUPT` with what is wrong and where the folder is now
 */
export function refuseBroken(
  team: Pick<TeamReader, 'paths' | 'config' | 'disk' | 'clock'>,
  stamp: string,
  { whileLed = false } = {},
): void {
  const { disk, clock, paths } = team;
  if (isBroken(team) === undefined) return;
  withName(paths.root, paths.name, { disk, clock }, () => {
    // Another process may have repaired or moved it while this one waited.
    const why = lookAt(disk, paths.folder) && isBroken(team);
    if (why === undefined) return;
    const owner = leaseOwner(disk, paths, LEAD);
    if (owner === undefined || !mayLive(owner)) throw setAside(team, why, stamp);
    if (whileLed) return;
    const text = `${why} Its lead is alive (${placeOf(owner)}), so it stays where it is; \`teams cancel ${paths.name}\` ends it.`;
    throw new StoreError('CORRUPT', text, { path: paths.config });
  });
}

/** Moves the team, which has no living lead. */
function setAside({ disk, paths }: Pick<TeamReader, 'paths' | 'disk'>, why: string, stamp: string): StoreError {
  const folder = join(rootPaths(paths.root).archive, `${paths.name}.broken-${stamp}`);
  const pinned = pinDirectory(disk, paths.folder);
  try {
    move(disk, paths, teamPathsAt(paths.root, paths.name, folder, join(folder, 'tasks')), pinned);
  } finally {
    pinned.close();
  }
  return new StoreError(
    'CORRUPT',
    `${why} The team was moved to ${folder}: repair its config and move it back, or start again.`,
    { path: folder },
  );
}

/** Whether a state cannot be read, or is not the user's own. */
export const isStateDamage = (error: unknown): error is StoreError =>
  isTeamError(error) && (error.code === 'CORRUPT' || error.code === 'UNTRUSTED');

/**
 * Renames an unreadable state to `state.json.corrupt-<time>`; the lead writes a new one from the logs.
 *
 * @returns what is wrong with it and where it is now; undefined when the state is fine
 */
export function setAsideState(
  { disk, paths, state }: Pick<TeamReader, 'disk' | 'paths' | 'state'>,
  stamp: string,
): string | undefined {
  try {
    state.readOwn();
    return undefined;
  } catch (error) {
    if (!isStateDamage(error)) throw error;
    return setStateAside({ disk, paths }, stamp, error);
  }
}

/** Renames a state that its lead cannot use, for the reason of `error`. @returns where it is now, and why */
export function setStateAside(
  { disk, paths }: Pick<TeamReader, 'disk' | 'paths'>,
  stamp: string,
  error: Error,
): string {
  const aside = `${paths.state}.corrupt-${stamp}`;
  try {
    disk.renameSync(paths.state, aside);
  } catch (failure) {
    // The program that replaced it may have removed it since.
    if (!isMissing(failure)) throw storeFailure('move', paths.state, failure);
  }
  return `${error.message} It was moved to ${aside}, and written again from the logs.`;
}
