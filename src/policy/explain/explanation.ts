/**
 * Why something stands still: what it waits for, since when, whose move it is and what comes next, in words for
 * `teams why`. Nothing is decided here; it is said what the rules of supervision will do.
 */
import type { Board } from '../../model/board/board.ts';
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { OpenRequest } from '../../model/board/request.ts';
import type { MemberStatus } from '../../model/team/team-config.ts';
import type { EvidenceSubject } from '../view/evidence.ts';
import type { StateTimes } from '../view/state-times.ts';
import { duration } from '../mail-wording.ts';

export interface MemberFacts {
  readonly status: MemberStatus;
  /** Since when it is in its state, where that is known. */
  readonly since: string | null;
  readonly unread: number;
  /** Wall time of its restart in milliseconds; absent when nobody will restart it. */
  readonly restartAt?: number | undefined;
  /** Until when its state lasts, where its process said so. */
  readonly until?: number | undefined;
  /** Wall time at which it last got on, and at which its heart last beat. */
  readonly lastSign: number;
  readonly lastBeat: number;
  readonly runs: boolean;
  /** The kind of its agent. */
  readonly agent?: string | undefined;
}

export interface LeadFacts {
  readonly alive: boolean;
  readonly pid: number | null;
  /** Wall time of its last heartbeat; undefined when it has no lease. */
  readonly lastBeat?: number | undefined;
}

export interface Facts {
  readonly team: Name;
  readonly board: Board;
  readonly members: ReadonlyMap<Name, MemberFacts>;
  readonly lead: LeadFacts;
  readonly since: StateTimes;
  /** Wall time in milliseconds. */
  readonly now: number;
  /** Silence after which a member is asked for a sign, and after which its task goes to somebody else. */
  readonly warnAfterMs: number;
  readonly reassignAfterMs: number;
  /** From the shutdown request to the first signal. */
  readonly shutdownWaitMs: number;
}

/** What bounds a wait. */
export interface Limit {
  /** Wall time in milliseconds. */
  readonly at: number;
  /** A sentence. */
  readonly text: string;
}

export interface Explanation {
  /** Null when it waits for nothing. */
  readonly waitingFor: string | null;
  readonly since: string | null;
  /** Whose move it is. */
  readonly who: string | null;
  readonly next: string;
  /** When what comes next happens by itself, where that is known: ISO 8601. */
  readonly nextAt?: string | undefined;
  /** What happens instead if what it waits for does not come. */
  readonly limit?: Limit | undefined;
  /** What else is behind it, for the events that are shown. */
  readonly about?: EvidenceSubject;
}

/** What somebody asked the lead and was not yet told. */
export function askedLead(facts: Facts, request: OpenRequest): Explanation {
  const { waitingFor, next } = asked(request);
  const about = request.task === undefined ? {} : { tasks: [request.task] };
  // It may be answered all the same.
  const nobody = facts.lead.alive ? '' : ` ${withLead(facts, '')}`;
  return { waitingFor, since: request.at, who: LEAD, next: `${next}${nobody}`, about };
}

function asked({ kind, from, id, task }: OpenRequest): Pick<Explanation, 'waitingFor' | 'next'> {
  switch (kind) {
    case 'question':
      return goesOn(from, `an answer to ${from}'s question`, `teams answer ${id} TEXT`);
    case 'plan':
      return goesOn(from, `the approval of ${from}'s plan`, `teams task approve ${task ?? ''}`);
    case 'consensus':
      return {
        waitingFor: `a decision about #${task ?? ''}, whose discussion ended without consensus`,
        next: `What waits for it goes on after \`teams task approve ${task ?? ''}\`; \`teams task revise ${task ?? ''} TEXT\` has it done again.`,
      };
    default:
      return kind satisfies never;
  }
}

const goesOn = (from: Name, waitingFor: string, verb: string): Pick<Explanation, 'waitingFor' | 'next'> => ({
  waitingFor,
  next: `${from} goes on when the lead answers: \`${verb}\`.`,
});

/** What comes next if somebody leads the team; else, that nobody does. */
export const withLead = ({ lead, team }: Facts, next: string): string =>
  lead.alive ? next : `Nobody leads the team: \`teams resume ${team}\` goes on with it.`;

/** When: `at 2026-01-01T00:00:05.000Z (in 3s)`; what is due already happens when the lead looks again. */
export const atTime = ({ now }: Pick<Facts, 'now'>, at: number): string =>
  at > now ? `at ${timestamp(at)} (in ${duration(at - now)})` : 'at the next look';

/** The later of two times: it cannot have waited before both were so. */
export const laterOf = (a: string | null, b: string | null): string | null => (a === null || (b ?? '') > a ? b : a);

/** The same, for who does it: only a lead does, and only what is still to come has a time. */
export const dueAt = ({ lead, now }: Facts, at: number): Pick<Explanation, 'nextAt'> =>
  lead.alive && at > now ? { nextAt: timestamp(at) } : {};
