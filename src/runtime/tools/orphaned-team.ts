/** The team that a host of MCP left behind, for the next host that keeps teams. */
import { isTeamError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { listTeams } from '../../store/team/team-list.ts';
import { openForReading, stateIn } from '../../store/team/team-reader.ts';
import { leadStatusOf } from '../views/external-status.ts';

/**
 * The team that was left last: its host left it in order, or was killed and no process leads the team. A team with a
 * living host belongs to that host.
 */
export function orphanedTeam(root: string): TeamPaths | undefined {
  const left = listTeams(root).flatMap(({ paths, archivedAt }) =>
    archivedAt === undefined ? (sightOf(paths) ?? []) : [],
  );
  return left.toSorted((one, other) => (one.since < other.since ? 1 : -1))[0]?.paths;
}

function sightOf(paths: TeamPaths): { paths: TeamPaths; since: string } | undefined {
  try {
    const store = openForReading(paths, { clock: realClock });
    try {
      const host = stateIn(store)?.host;
      const lead = leadStatusOf(store);
      const isOpen = store.board.board.phase !== 'closed';
      const isLeft = host === 'left' || (host === 'leads' && !lead.alive);
      return isOpen && isLeft ? { paths, since: lead.since ?? '' } : undefined;
    } finally {
      store.close();
    }
  } catch (error) {
    // A damaged team is a matter for `teams doctor`; the others are still found.
    if (isTeamError(error)) return undefined;
    throw error;
  }
}
