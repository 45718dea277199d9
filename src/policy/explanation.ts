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
export const askedLead = (request: OpenRequest): Explanation => ({
  since: request.at,
  who: LEAD,
  ...asked(request),
});

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
export const withLead = ({ hasLead, team }: Facts, next: string): string =>
  hasLead ? next : `Nobody leads the team: \`teams resume ${team}\` goes on with it.`;
