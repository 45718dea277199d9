/** `teams list`: one line for each team of a root, from its logs; a damaged team is listed with its error code. */
import { NO_TASKS, type Counts } from '../../model/board/board.ts';
import { timestamp, type Timestamp } from '../../model/text/clock.ts';
import type { Name } from '../../model/text/names.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
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
  /** When its board changed last. */
  readonly changedAt?: Timestamp | undefined;
  readonly archivedAt?: Timestamp | undefined;
}

/** By name, `team-2` before `team-10`; archived teams behind active ones. */
export const listedTeams = (root: string, { all = false }: { all?: boolean } = {}): TeamLine[] => [
  ...listTeams(root)
    .filter(({ archivedAt }) => all || archivedAt === undefined)
    .sort((a, b) => rank(a) - rank(b) || byNumber.compare(a.name, b.name))
    .map(lineOf),
  ...(all ? listRemains(root).map(remainsLine) : []),
];

const rank = ({ archivedAt }: ListedTeam): number => (archivedAt === undefined ? 0 : 1);
const byNumber = new Intl.Collator('en', { numeric: true });

const remainsLine = ({ name, folder }: TeamPaths): TeamLine => ({
  name,
  folder,
  outcome: 'unreadable',
  problem: 'board missing',
  members: 0,
  tasks: NO_TASKS,
});

function lineOf({ name, paths, archivedAt }: ListedTeam): TeamLine {
  const changed = lookAt(realDisk, paths.log)?.mtimeMs;
  const changedAt = changed === undefined ? undefined : timestamp(Math.floor(changed));
  const place = { name, folder: paths.folder, changedAt, archivedAt };
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
