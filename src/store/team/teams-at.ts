/** Which teams lie at a root, archived ones included. */
import { isTeamError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import { listRemains } from './remains.ts';
import { listTeams } from './team-list.ts';
import { openForReading } from './team-reader.ts';

export interface TeamsAt {
  readonly root: string;
  /** ULIDs, and names for refs of earlier versions. */
  readonly ids: ReadonlySet<string>;
  readonly unreadable: ReadonlySet<string> | 'all';
}

export function teamsAt(root: string): TeamsAt {
  const ids = new Set<string>();
  const unreadable = new Set<string>();
  try {
    for (const { name } of listRemains(root)) unreadable.add(name);
    for (const { name, paths } of listTeams(root)) {
      ids.add(name);
      try {
        const store = openForReading(paths, { clock: realClock });
        try {
          const id = store.board.fold().team?.id;
          if (id === undefined) unreadable.add(name);
          else ids.add(id);
        } finally {
          store.close();
        }
      } catch (error) {
        if (!isTeamError(error)) throw error;
        unreadable.add(name);
      }
    }
    return { root, ids, unreadable };
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { root, ids, unreadable: 'all' };
  }
}
