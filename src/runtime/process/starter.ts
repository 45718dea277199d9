/**
 * Which member's program started this process. The limit that it inherited is the member's mark, which it cannot take off
 * and which outlives a cleaned environment. Undefined where marks are not limits (docs/security.md).
 */
import { LOCK_MARKS } from '../../model/agent/process-mark.ts';
import type { ProcessRecord } from '../../model/member/process-record.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { processes } from '../../os/process-table.ts';
import { parseMark } from '../../os/reaper-message.ts';
import { realDisk } from '../../store/files/disk.ts';
import { Roster } from '../../store/team/roster.ts';
import { listTeams } from '../../store/team/team-list.ts';

/** Among the members of one team. */
export function starterOf({ roster }: { readonly roster: Pick<Roster, 'all'> }): Name | undefined {
  const value = ownMark();
  return value === undefined ? undefined : roster.all().find((record) => carries(record, value))?.name;
}

/** Among the members of all teams of a root. */
export function starterIn(root: string): Name | undefined {
  if (ownMark() === undefined) return undefined;
  const teams = listTeams(root).filter(({ archivedAt }) => archivedAt === undefined);
  return teams.flatMap(({ paths }) => starterOf({ roster: new Roster(realDisk, paths) }) ?? [])[0];
}

function ownMark(): number | undefined {
  const own = processes.limits(processes.self);
  return typeof own !== 'string' && LOCK_MARKS.from < own.locks && own.locks < LOCK_MARKS.to ? own.locks : undefined;
}

function carries({ name, mark }: ProcessRecord, value: number): boolean {
  const known = name === LEAD ? undefined : parseMark(mark);
  if (known?.kind !== 'limit' || known.resource !== 'locks' || known.bootId !== processes.bootId()) return false;
  return known.low <= value && value <= known.high;
}
