/**
 * Ends what an earlier lead started and left running: by mark, and by pid and start time, never by name. Workers that a
 * person started stay. So does every process of which it is not proven that it serves this folder: the records of a
 * copied project name the processes of the original.
 */
import { timestamp } from '../../model/text/clock.ts';
import { dayAndTime } from '../../model/team/colors-and-times.ts';
import { LEAD } from '../../model/text/names.ts';
import type { Mark } from '../../model/agent/process-mark.ts';
import type { ProcessRecord } from '../../model/member/process-record.ts';
import { matches } from '../../os/mark-environment.ts';
import { ownIdentity, processes } from '../../os/process-table.ts';
import { suspectAt, sweep } from '../../os/sweep.ts';
import { sweptDirectories } from '../../store/files/own-directories.ts';
import { sweepNames } from '../../store/team/name-lock.ts';
import { endDeadLeases, lastBeat } from '../../store/team/lease.ts';
import { identityIn, isProven } from '../../store/team/roster.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { historiesOf } from '../process/event-indexing.ts';
import { marksIn } from './recorded-marks.ts';

/** @param host ends what an earlier process of this host started; without it, what an earlier lead did */
export async function endOrphans(store: TeamStore, host?: string): Promise<void> {
  // Records that came here with a copy of another team's folder.
  for (const { name } of store.roster.elsewhere()) store.roster.remove(name);
  const all = store.roster.all();
  const started = all.filter((record) => record.name !== LEAD && record.by_hand !== true && record.host === host);
  // The earlier lead's own record has the marks of the programs that it ran by itself.
  const leads = host === undefined ? all.filter(({ name }) => name === LEAD) : [];
  const swept = [...started, ...leads].filter((record) => serves(store, record));
  const known = swept.filter(({ name }) => name !== LEAD).flatMap((record) => identityIn(record) ?? []);
  const { bootId } = ownIdentity();
  await sweep(
    swept.flatMap(marksIn).filter((mark) => mark.bootId === bootId),
    known.filter((identity) => identity.bootId === bootId),
  );
  noteLost(store, started);
  for (const record of started) store.roster.remove(record.name);
  const members = [...store.board.board.members.keys()].filter((name) => name !== LEAD);
  await endDeadLeases(store.paths, members, store);
  store.locks.sweep(sweptDirectories(store.paths));
  sweepNames(store.paths.root, store);
}

/**
 * Records when members that worked were heard last: after that, they worked no longer. Nobody saw their processes end,
 * unless an event says so.
 */
function noteLost(store: TeamStore, started: readonly ProcessRecord[]): void {
  const working = started.filter(({ name }) => store.board.board.busy.has(name));
  const histories = working.length === 0 ? undefined : historiesOf(store);
  for (const { name, started_at: startedAt = 0 } of working) {
    const { death } = histories?.get(name) ?? {};
    const heard = lastBeat(store.disk, store.paths, name);
    if (heard === undefined || (death !== undefined && Date.parse(death.at) >= startedAt * 1_000)) continue;
    const last = timestamp(heard);
    store.events.append({ type: 'member.lost', member: name, last, text: `last heard at ${dayAndTime(last)}` });
  }
}

/**
 * A record of an earlier version names no folder. It is proven if its process, or one that carries its mark, holds this
 * folder open.
 */
function serves({ pinned: { identity } }: TeamStore, record: ProcessRecord): boolean {
  if (isProven(record, identity)) return true;
  const marks = marksIn(record);
  return carriersOf(marks).some((pid) => isProven({ pid }, identity));
}

const carriersOf = (marks: readonly Mark[]): number[] =>
  marks.length === 0
    ? []
    : processes.list().filter((pid) => {
        const seen = processes.stat(pid);
        if (typeof seen === 'string') return false;
        const suspect = suspectAt(processes, seen);
        return marks.some((mark) => mark.bootId === processes.bootId() && matches(mark, suspect));
      });
