/** `teams list`: one line for each team of a root, from its logs; a damaged team is listed with its error code. */
import { NO_TASKS, type Counts } from '../../model/board/board.ts';
import type { Name } from '../../model/text/names.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { openForReading } from '../../store/team/team-reader.ts';
import { listTeams, type ListedTeam } from '../../store/team/team-list.ts';
import { listRemains } from '../../store/team/remains.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { realClock } from '../../os/system-clock.ts';
import type { RunOutcome } from '../../policy/run-outcome.ts';
import { statusOf } from './status.ts';

interface TeamLine {
  readonly name: Name;
  readonly outcome: RunOutcome | 'unreadable';
  /** Why it is unreadable. */
  readonly problem?: string | undefined;
  readonly members: number;
  readonly tasks: Counts;
  readonly folder: string;
  /** Present if its lead's process is stopped. */
  readonly leadStopped?: true | undefined;
  readonly archivedAt?: string | undefined;
}

export const listedTeams = (root: string, { all = false }: { all?: boolean } = {}): TeamLine[] => [
  ...listTeams(root)
    .filter(({ archivedAt }) => all || archivedAt === undefined)
    .map(lineOf),
  ...(all ? listRemains(root).map(remainsLine) : []),
];

const remainsLine = ({ name, folder }: TeamPaths): TeamLine => ({
  name,
  folder,
  outcome: 'unreadable',
  problem: 'board missing',
  members: 0,
  tasks: NO_TASKS,
});

function lineOf({ name, paths, archivedAt }: ListedTeam): TeamLine {
  const place = { name, folder: paths.folder, archivedAt };
  try {
    const store = openForReading(paths, { clock: realClock });
    try {
      const { outcome, members, tasks, lead } = statusOf(store);
      return { ...place, outcome, members: members.length, tasks, leadStopped: lead.stopped };
    } finally {
      store.close();
    }
  } catch (error) {
    if (!isTeamError(error)) throw error;
    return { ...place, outcome: 'unreadable', problem: error.code, members: 0, tasks: NO_TASKS };
  }
}
