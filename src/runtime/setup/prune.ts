/** Removes archived teams for good, together with their safety points in git. */
import { removeArchived } from '../../store/team/remove-archived.ts';
import { openForReading, stateIn } from '../../store/team/team-reader.ts';
import type { ListedTeam } from '../../store/team/team-list.ts';
import { realDisk } from '../../store/files/disk.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import { forgetSafetyPoint } from '../runs/safety-point.ts';
import type { SafetyPoint } from '../process/safety-ref.ts';

/** Removes the ref first: without its team, nothing would remove it later. */
export async function pruneTeams(teams: readonly ListedTeam[], signal: AbortSignal): Promise<void> {
  for (const team of teams) {
    const kept = keptOf(team);
    if (kept !== undefined) await forgetSafetyPoint({ disk: realDisk, paths: team.paths }, kept, signal);
    removeArchived([team]);
  }
}

function keptOf({ paths }: ListedTeam): { readonly start: SafetyPoint; readonly team: string | undefined } | undefined {
  try {
    const store = openForReading(paths, { clock: realClock });
    try {
      const start = stateIn(store)?.start;
      return start && { start, team: store.board.fold().team?.id };
    } finally {
      store.close();
    }
  } catch (error) {
    // A report without a team, or a folder that is unreadable.
    if (isTeamError(error)) return undefined;
    throw error;
  }
}
