/**
 * A team as any process sees it from outside: who leads it, and the state of each member. A lead knows more, from its
 * own memory. Here everything comes from the roster, the process table, the two logs and the times of files.
 */
import { LEASE_STALE_MS } from '../../store/lock/lease-directory.ts';
import { type Board, type Member } from '../../model/board/board.ts';
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { ProcessRecord } from '../../model/member/process-record.ts';
import type { MemberNote, MemberObservation } from '../../policy/supervise/progress.ts';
import { pastOf } from '../../model/past/board-past.ts';
import { isMembersFailure } from '../../model/board/member-failure.ts';
import { lookAt } from '../../store/files/disk.ts';
import { processesElsewhere } from '../../store/replica/elsewhere.ts';
import { lastBeat, leaseOwner } from '../../store/team/lease.ts';
import { isStopped, livenessOf } from '../../os/process-table.ts';
import { livenessIn } from '../../store/team/roster.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { emptyHistory } from '../../policy/view/member-history.ts';
import type { MemberHistory } from '../../model/team/event-summary.ts';

export interface LeadStatus {
  readonly pid: number | null;
  /** Where its process runs, if that is another machine; `pid` is null then. */
  readonly machine?: string | undefined;
  /** When it began to lead, ISO 8601; null if the team never had a lead. */
  readonly since: string | null;
  readonly epoch: number;
  readonly alive: boolean;
  /** Present if its process is stopped (Ctrl-Z, SIGSTOP): it goes on when it is let run. */
  readonly stopped?: true | undefined;
}

export function leadStatusOf(store: TeamReader): LeadStatus {
  const { disk, paths, clock } = store;
  const { lead, phase } = store.board.fold();
  const owner = leaseOwner(disk, paths, LEAD);
  if (owner?.where === 'elsewhere')
    return {
      pid: null,
      machine: owner.machine,
      since: timestamp(owner.since),
      epoch: lead.epoch,
      alive: phase !== 'closed',
    };
  const life = owner ? livenessOf(owner) : 'dead';
  const isBeating = clock.now() - (lastBeat(disk, paths, LEAD) ?? -Infinity) < LEASE_STALE_MS;
  const alive = phase !== 'closed' && (life === 'alive' || (life === 'unknown' && isBeating));
  const since = alive && owner ? timestamp(owner.since) : lead.since;
  const isHalted = alive && life === 'alive' && owner !== undefined && isStopped(owner.pid);
  return {
    pid: alive ? (owner?.pid ?? null) : null,
    since,
    epoch: lead.epoch,
    alive,
    ...(isHalted ? { stopped: true } : {}),
  };
}

interface ObservedMember {
  /** Absent if it has no process of the team. */
  readonly seen?: MemberObservation;
  readonly note?: MemberNote | undefined;
  readonly pid: number | null;
  readonly machine?: string | undefined;
  readonly host?: string | undefined;
}

export interface TeamFacts {
  readonly lead: LeadStatus;
  readonly histories: ReadonlyMap<string, MemberHistory>;
  /** Member → kind of its agent, for members that have one. */
  readonly kinds: ReadonlyMap<string, string>;
  /** Member → host of the store that runs it. */
  readonly hosts: ReadonlyMap<string, string>;
  /** The run has ended or its processes were stopped, so that a missing process is not dead. */
  readonly isStopped: boolean;
}

export function observeMember(store: TeamReader, board: Board, member: Member, around: TeamFacts): ObservedMember {
  const record = store.roster.read(member.name);
  const elsewhere = processesElsewhere(store.disk, store.paths).get(member.name);
  const isOurs =
    elsewhere !== undefined || record !== undefined || member.incarnation !== null || around.kinds.has(member.name);
  if (!isOurs) return { pid: null };
  const history = around.histories.get(member.name) ?? emptyHistory;
  const process = elsewhere === undefined ? processOf(record, history, around) : 'alive';
  const now = store.clock.now();
  const note = process === 'alive' ? noteIn(record, now) : undefined;
  return {
    // A pid of another machine is none here.
    pid: process === 'alive' && elsewhere === undefined ? (record?.pid ?? null) : null,
    machine: elsewhere?.machine,
    host: process === 'alive' ? around.hosts.get(member.name) : undefined,
    note,
    seen: {
      process,
      ...(history.death ? { death: history.death.how } : {}),
      // It holds its lease by renewing it.
      beatAge: elsewhere ? 0 : now - (lastBeat(store.disk, store.paths, member.name) ?? now),
      progressAge: now - lastProgress(store, board, member.name, record, history),
      consecutiveFailures: history.quarantinedAt === undefined ? 0 : failuresInARow(store, member.name),
      quarantined: history.quarantinedAt !== undefined,
      givenUp: history.isGivenUp,
      restarts: history.restarts,
      byHand: elsewhere !== undefined || record?.by_hand === true,
    },
  };
}

function processOf(
  record: ProcessRecord | undefined,
  history: MemberHistory,
  { isStopped, lead }: TeamFacts,
): MemberObservation['process'] {
  if (record === undefined) return 'none';
  if (record.phase === 'spawning' && lead.alive && history.death === undefined) return 'starting';
  if (livenessIn(record) !== 'dead') return 'alive';
  return isStopped || history.isStopped ? 'none' : 'dead';
}

/** The times of a record are float seconds (docs/specification.md R1.5). */
function noteIn(record: ProcessRecord | undefined, now: number): MemberNote | undefined {
  if (record?.note === undefined) return undefined;
  const { state, reason, until } = record.note;
  return { state, reason, forMs: until === undefined ? undefined : Math.max(0, until * 1_000 - now) };
}

/**
 * The latest of: its task's last change, its agent's last act, its last byte of output, its own start. Milliseconds.
 */
function lastProgress(
  store: TeamReader,
  board: Board,
  name: Name,
  record: ProcessRecord | undefined,
  history: MemberHistory,
): number {
  const task = board.tasks.get(board.busy.get(name) ?? '');
  const output = lookAt(store.disk, store.paths.output(name))?.mtimeMs;
  const times = [task?.updated_at, history.lastActAt].flatMap((at) => (at === undefined ? [] : [Date.parse(at)]));
  return Math.max(0, ...times, output ?? 0, (record?.started_at ?? 0) * 1_000);
}

/** The tasks that failed by it since its last success. */
function failuresInARow({ board }: TeamReader, name: Name): number {
  if (board.keptPast) return pastOf(board.keptPast, name).failures;
  let failures = 0;
  for (const { event, outcome } of board.log.history()) {
    if (!outcome.ok || !('by' in event.author) || event.author.by !== name) continue;
    if (event.type === 'task.completed' || event.type === 'task.submitted') failures = 0;
    else if (event.type === 'task.failed' && isMembersFailure(board.board, event)) failures += 1;
  }
  return failures;
}
