/**
 * Removes archived teams for good, together with their safety points in git; with `all` also the safety points of teams
 * that do not exist any more.
 */
import { join } from 'node:path';
import { archivedBefore, finishRemovals, removeArchived } from '../../store/team/remove-archived.ts';
import { openForReading, stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import type { ListedTeam } from '../../store/team/team-list.ts';
import { list, realDisk } from '../../store/files/disk.ts';
import { folderAt } from '../../store/files/folder-of.ts';
import { rootPaths } from '../../store/files/paths.ts';
import { removeLostHomes } from '../../store/user/agent-homes.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import type { SafetyPoint } from '../process/safety-ref.ts';
import { forgetRefs } from './forget-refs.ts';
import { findLostRefs, type LostRefs } from './lost-refs.ts';

interface PrunableTeam extends ListedTeam {
  /** A sentence if the state names one, and this user did not write it. */
  readonly safetyPoint: { readonly start: SafetyPoint; readonly team: string | undefined } | string | undefined;
  /** An undo was begun and did not end; after this it cannot be finished. */
  readonly undoBegun: boolean;
  /** Changes that landed in its trees and are not in the user's files. */
  readonly unapplied: number;
}

/** What can be removed. */
export interface Prunable extends Omit<LostRefs, 'remove'> {
  readonly teams: readonly PrunableTeam[];
  /** Removes it. @returns sentences about what stays */
  readonly remove: () => Promise<string[]>;
}

interface PruneChoice {
  /** Only teams that were archived longer ago, in milliseconds; undefined: all, and refs of removed teams. */
  readonly olderThanMs: number | undefined;
}

export async function findPrunable(root: string, { olderThanMs }: PruneChoice): Promise<Prunable> {
  // A removal that was confirmed is finished, also when nobody reads the answer.
  const { signal } = new AbortController();
  const before = olderThanMs === undefined ? Infinity : realClock.now() - olderThanMs;
  const teams: PrunableTeam[] = [];
  for (const team of archivedBefore(root, before)) teams.push({ ...team, ...(await readRun(team, signal)) });
  const refs = olderThanMs === undefined ? await findLostRefs(root, signal) : undefined;
  const { lost = [], left = [], problem } = refs ?? {};
  return {
    teams,
    lost,
    left,
    problem,
    async remove() {
      const told: string[] = [];
      for (const team of teams) {
        // The refs first: without its team, nothing but \`prune --all\` would remove them.
        const { safetyPoint, paths } = team;
        const why =
          typeof safetyPoint === 'object'
            ? await forgetRefs({ disk: realDisk, paths }, safetyPoint, signal)
            : safetyPoint;
        if (why !== undefined) told.push(stays(team.name, why));
        told.push(...removeArchived([team]));
      }
      for (const one of lost) {
        const why = await refs?.remove(one);
        if (why !== undefined) told.push(stays(one.name, why));
      }
      forgetHomes(root);
      return told;
    },
  };
}

/**
 * Finishes removals that were killed, or failed.
 * @returns what could not be removed, and why
 */
export function finishPruning(root: string): string[] {
  const stays = finishRemovals(root);
  forgetHomes(root);
  return stays;
}

/** The homes of programs lie outside of the project. */
function forgetHomes(root: string): void {
  const { teams, archive } = rootPaths(root);
  const folders = [teams, archive].flatMap((shelf) => list(realDisk, shelf).map((name) => join(shelf, name)));
  const inodes = new Set(folders.flatMap((folder) => folderAt(realDisk, folder)?.ino ?? []));
  removeLostHomes(realDisk, { root, inodes, now: realClock.now() });
}

const stays = (team: string, why: string): string =>
  `Some git refs of team ${team} stay: ${why}. When that is mended, \`teams prune --all\` removes them.`;

async function readRun({ paths }: ListedTeam, signal: AbortSignal): Promise<Omit<PrunableTeam, keyof ListedTeam>> {
  try {
    const store = openForReading(paths, { clock: realClock });
    try {
      const { start, undoing } = stateIn(store) ?? {};
      const team = store.board.fold().team?.id;
      const unapplied = await unappliedWork(store, signal);
      const safetyPoint = start && (isSealed(store) ? { start, team } : 'its state was not written by you');
      return { safetyPoint, undoBegun: undoing !== undefined, unapplied };
    } finally {
      store.close();
    }
  } catch (error) {
    // A report without a team, or a folder that is unreadable.
    if (isTeamError(error)) return { safetyPoint: undefined, undoBegun: false, unapplied: 0 };
    throw error;
  }
}

/** The state of an archived team says which repository it had. */
function isSealed({ state }: TeamReader): boolean {
  try {
    return state.readOwn() !== undefined;
  } catch (error) {
    if (isTeamError(error)) return false;
    throw error;
  }
}

async function unappliedWork(store: TeamReader, signal: AbortSignal): Promise<number> {
  if (store.config.read()?.isolation !== 'trees') return 0;
  const { unappliedIn } = await import('../trees/landed-work.ts');
  return unappliedIn(store, signal);
}
