/**
 * Why something stands still: what it waits for, since when, whose move it is and what comes next, in words for
 * `teams why`. Nothing is decided here; it is said what the rules of supervision will do.
 */
import type { Board } from '../model/board.ts';
import { LEAD, type Name } from '../model/names.ts';
import type { OpenRequest } from '../model/request.ts';
import type { MemberStatus } from '../model/team.ts';

export interface MemberFacts {
  readonly status: MemberStatus;
  /** Since when it is in its state, where that is known. */
  readonly since: string | null;
  readonly unread: number;
  /** Until it is restarted; absent when nobody will. */
  readonly restartIn?: number;
  /** Since it last got on. */
  readonly silentFor: number;
}

export interface Facts {
  readonly team: Name;
  readonly board: Board;
  readonly members: ReadonlyMap<Name, MemberFacts>;
  readonly hasLead: boolean;
  /** Silence after which a task is given to somebody else: `watchdogReassignMs`. */
  readonly reassignAfterMs: number;
}

export interface Explanation {
  /** Null when it waits for nothing. */
  readonly waitingFor: string | null;
  readonly since: string | null;
  /** Whose move it is. */
  readonly who: string | null;
  readonly next: string;
}

/** What somebody asked the lead and was not yet told. */
export function askedLead({ kind, from, id, at, task }: OpenRequest): Explanation {
  const isPlan = kind === 'plan';
  const verb = isPlan && task !== undefined ? `teams task approve ${task}` : `teams answer ${id} TEXT`;
  return {
    waitingFor: isPlan ? `the approval of ${from}'s plan` : `an answer to ${from}'s question`,
    since: at,
    who: LEAD,
    next: `${from} goes on when the lead answers: \`${verb}\`.`,
  };
}

/** What comes next if somebody leads the team; else, that nobody does. */
export const withLead = ({ hasLead, team }: Facts, next: string): string =>
  hasLead ? next : `Nobody leads the team: \`teams resume ${team}\` goes on with it.`;
