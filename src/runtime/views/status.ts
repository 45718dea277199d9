/** `teams status`: a team at one moment, from the files on disk; a running lead is not needed. */
import { timestamp } from '../../model/text/clock.ts';
import { count, type Board, type Counts, type Member } from '../../model/board/board.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { MemberStatus } from '../../model/member/member-status.ts';
import type { RunOutcome } from '../../policy/run-outcome.ts';
import { describeMember, type MemberObservation } from '../../policy/supervise/progress.ts';
import { problemsOf, type TeamProblem } from '../../policy/view/team-problems.ts';
import { cutOffSince } from '../../store/replica/replica-root.ts';
import { teamHosts } from '../../store/replica/team-hosts.ts';
import { countWaiting } from '../../store/mail/inbox-view.ts';
import { stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import { emptyHistory } from '../../policy/view/member-history.ts';
import type { MemberHistory } from '../../model/team/event-summary.ts';
import { historiesOf } from '../process/event-indexing.ts';
import { outcomeOf } from './outcome-of.ts';
import { lastBeat } from '../../store/team/lease.ts';
import { leadStatusOf, observeMember, type LeadStatus, type TeamFacts } from './external-status.ts';

export interface SeenMemberStatus extends MemberStatus {
  /** Unread messages in its inbox. */
  readonly unread: number;
}

export interface TeamStatus {
  readonly team: Name;
  readonly outcome: RunOutcome;
  readonly members: readonly SeenMemberStatus[];
  readonly tasks: Counts;
  readonly lead: LeadStatus & { readonly unread: number };
  /** Since when this machine does not hear the store of the team, ISO 8601: what is shown may be old. */
  readonly cutOffSince?: string | undefined;
}

export interface StatusOptions {
  /** Milliseconds without progress after which a task counts as stalled: `watchdogWarningMs`. */
  readonly stalledAfterMs?: number | undefined;
  /** Member histories and unread counts that the caller has already, for callers that look repeatedly. */
  readonly known?: KnownActivity;
}

export interface KnownActivity {
  readonly histories: ReadonlyMap<string, MemberHistory>;
  readonly unread: (name: Name) => number;
}

const STALLED_AFTER_MS = 300_000;

/** One member's status and its sources. */
export interface MemberLook {
  readonly status: SeenMemberStatus;
  readonly seen: MemberObservation | undefined;
  readonly history: MemberHistory;
  /** The kind of its agent. */
  readonly agent?: string | undefined;
}

export interface TeamLook {
  readonly board: Board;
  readonly outcome: RunOutcome;
  readonly lead: LeadStatus;
  readonly members: readonly MemberLook[];
}

export function statusOf(store: TeamReader, options: StatusOptions = {}): TeamStatus {
  const { board, outcome, lead, members } = lookAtTeam(store, options);
  const since = cutOffSince(store.disk, store.paths.root);
  return {
    team: store.paths.name,
    outcome,
    cutOffSince: since === undefined ? undefined : timestamp(since),
    members: members.map(({ status }) => status),
    tasks: count(board),
    lead: { ...lead, unread: unreadOf(store, LEAD) },
  };
}

/** What needs somebody in a team now, the most urgent first. */
export function problemsIn(store: TeamReader): TeamProblem[] {
  const { board, members, lead } = lookAtTeam(store);
  return problemsOf({ board, members: members.map(({ status }) => status), hasLead: lead.alive });
}

/** The present state of a team. */
export function lookAtTeam(store: TeamReader, options: StatusOptions = {}): TeamLook {
  const { stalledAfterMs = STALLED_AFTER_MS, known = knownOf(store) } = options;
  const board = store.board.fold();
  const run = stateIn(store);
  const lead = leadStatusOf(store);
  const isStopped = (board.phase !== 'open' && board.phase !== 'paused') || run?.phase === 'complete';
  const around = { lead, isStopped, kinds: kindsIn(store), hosts: hostsIn(store), ...known };
  const members = [...board.members.values()].map((member) =>
    lookAtMember(store, board, member, around, stalledAfterMs),
  );
  return { board, outcome: outcomeOf(store, { board, state: run, isLed: lead.alive }), lead, members };
}

/**
 * Who holds a task while its process is gone.
 *
 * @returns member → when its process was heard last, in milliseconds since 1970
 */
export function goneIn(store: TeamReader, { members }: Pick<TeamLook, 'members'>): ReadonlyMap<Name, number> {
  const now = store.clock.now();
  return new Map(
    members.flatMap(({ status: { name, state, task }, seen }) =>
      task === null || seen === undefined || (state !== 'dead' && state !== 'stopped')
        ? []
        : [[name, Math.max(now - seen.progressAge, lastBeat(store.disk, store.paths, name) ?? 0)]],
    ),
  );
}

function lookAtMember(
  store: TeamReader,
  board: Board,
  member: Member,
  around: TeamFacts & KnownActivity,
  limit: number,
): MemberLook {
  const { name, role } = member;
  const { pid, machine, host, seen, note } = observeMember(store, board, member, around);
  // A command is limited only by its own timeout: its silence means nothing.
  const agent = around.kinds.get(name);
  const stalledAfterMs = agent === 'exec' ? Infinity : limit;
  const described = describeMember(board, member, {
    seen,
    note,
    stalledAfterMs,
  });
  const isAbandoned = described.state === 'dead' && !around.lead.alive && seen?.givenUp !== true;
  const reason = isAbandoned
    ? `${seen?.death ?? 'cause unknown'}; no lead runs that could restart it`
    : described.reason;
  const task = board.busy.get(name) ?? null;
  const status = { name, role, state: described.state, reason, pid, machine, host, task, unread: around.unread(name) };
  return { status, seen, history: around.histories.get(name) ?? emptyHistory, agent };
}

const kindsIn = ({ config }: TeamReader): ReadonlyMap<string, string> =>
  new Map(config.read()?.members.flatMap(({ name, agent }) => (agent ? [[name, agent.kind] as const] : [])));

/** Where the lead has placed members whose processes have not ended. */
function hostsIn({ disk, paths }: TeamReader): ReadonlyMap<string, string> {
  const { hosts, placements } = teamHosts(disk, paths);
  const known = new Set(hosts.map(({ name }) => name));
  return new Map(
    placements.flatMap(({ member, host, ended }) => (ended === undefined && known.has(host) ? [[member, host]] : [])),
  );
}

const knownOf = (store: TeamReader): KnownActivity => ({
  histories: historiesOf(store),
  unread: (name) => unreadOf(store, name),
});

export const unreadOf = ({ disk, paths }: TeamReader, name: Name): number => countWaiting(disk, paths.inbox(name));
