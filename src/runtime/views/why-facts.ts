/** The facts for an explanation: the board with its open requests, and the members as they are seen now. */
import { LEAD } from '../../model/text/names.ts';
import type { Facts, LeadFacts } from '../../policy/explain/explanation.ts';
import { memberFacts, type SeenNow } from '../../policy/explain/member-facts.ts';
import { profiles } from '../../policy/profiles.ts';
import type { StateTimes } from '../../policy/view/state-times.ts';
import { lastBeat } from '../../store/team/lease.ts';
import { stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import type { MemberLook, TeamLook } from './status.ts';

export interface WhyLimits {
  readonly watchdogWarningMs?: number;
  readonly watchdogReassignMs?: number;
  readonly shutdownTimeoutMs?: number | undefined;
}

const WARN_AFTER_MS = 300_000;
const REASSIGN_AFTER_MS = 600_000;

export function whyFacts(store: TeamReader, look: TeamLook, since: StateTimes, limits: WhyLimits): Facts {
  const { board, members } = look;
  const now = store.clock.now();
  return {
    team: store.paths.name,
    board,
    since,
    now,
    lead: leadFacts(store, look),
    landing: stateIn(store)?.landing,
    reviewer: store.config.read()?.trees?.review,
    warnAfterMs: limits.watchdogWarningMs ?? WARN_AFTER_MS,
    reassignAfterMs: limits.watchdogReassignMs ?? REASSIGN_AFTER_MS,
    shutdownWaitMs: limits.shutdownTimeoutMs ?? profiles[board.profile].shutdownWaitMs,
    members: new Map(
      members.map((member) => [member.status.name, memberFacts(seenNow(store, member), { board, since, now })]),
    ),
  };
}

function leadFacts({ disk, paths }: TeamReader, { lead: { alive, pid, stopped } }: TeamLook): LeadFacts {
  const beat = lastBeat(disk, paths, LEAD);
  return { alive, pid, stopped, lastBeat: beat };
}

function seenNow({ roster }: TeamReader, { status, seen, history, agent }: MemberLook): SeenNow {
  const { started_at, note } = roster.read(status.name) ?? {};
  return {
    status,
    seen,
    agent,
    died: history.death?.at,
    quarantined: history.quarantinedAt,
    forked: inMs(started_at),
    noted: inMs(note?.since),
    until: inMs(note?.until),
  };
}

/** The times of a record are float seconds (docs/specification.md R1.5). */
const inMs = (seconds: number | undefined): number | undefined => (seconds === undefined ? undefined : seconds * 1_000);
