/**
 * The marks that process records name. A mark outlives the process that drew it: a later lead ends what carries it, so
 * nothing else may get it meanwhile.
 */
import type { Mark } from '../../model/agent/process-mark.ts';
import type { ProcessRecord } from '../../model/member/process-record.ts';
import { parseMark } from '../../os/reaper-message.ts';
import { realDisk } from '../../store/files/disk.ts';
import { Roster } from '../../store/team/roster.ts';
import { listTeams } from '../../store/team/team-list.ts';

export const marksIn = ({ mark, marks = [] }: ProcessRecord): Mark[] =>
  [mark, ...marks].flatMap((value) => parseMark(value) ?? []);

/** The marks in the records of all teams of a root. */
export const recordedMarks = (root: string): Mark[] =>
  listTeams(root)
    .filter(({ archivedAt }) => archivedAt === undefined)
    .flatMap(({ paths }) => new Roster(realDisk, paths).all().flatMap(marksIn));
