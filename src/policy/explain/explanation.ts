/**
 * The parts of an explanation, for `teams why`: what is waited for, since when, who must act, and what comes next.
 * Nothing is decided here; the texts say what the rules of supervision will do.
 */
import type { Board } from '../../model/board/board.ts';
import { timestamp } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import type { OpenRequest } from '../../model/board/request.ts';
import type { MemberStatus } from '../../model/member/member-status.ts';
import type { EvidenceSubject } from '../view/evidence.ts';
import type { StateTimes } from '../view/state-times.ts';
import { duration } from '../mail-wording.ts';

export interface MemberFacts {
  readonly status: MemberStatus;
  /** Since when it is in its state, if known. */
  readonly since: string | null;
  readonly unread: number;
  /** Wall time of its restart in milliseconds; absent if it will not be restarted. */
  readonly restartAt?: number | undefined;
  /** Wall time in milliseconds at which its state ends, if its process reported one. */
  readonly until?: number | undefined;
  /** Wall times in milliseconds of its last progress and of its last heartbeat. */
  readonly lastSign: number;
  readonly lastBeat: number;
  readonly runs: boolean;
  /** The kind of its agent. */
  readonly agent?: string | undefined;
}

export interface LeadFacts {
  readonly alive: boolean;
  readonly pid: number | null;
  /** Wall time of its last heartbeat in milliseconds; undefined if it has no lease. */
  readonly lastBeat?: number | undefined;
  /** Its process was stopped by a signal. */
  readonly stopped?: true | undefined;
}

export interface Facts {
  readonly team: Name;
  readonly board: Board;
  readonly members: ReadonlyMap<Name, MemberFacts>;
  readonly lead: LeadFacts;
  /** Who looks at changes before they land: a person without it. */
  readonly reviewer?: 'person' | 'lead' | undefined;
  /** Why no change can land at present. */
  readonly landing?: { readonly why: string; readonly since: string } | undefined;
  readonly since: StateTimes;
  /** Wall time in milliseconds. */
  readonly now: number;
  /**
   * Milliseconds of silence after which a member gets a STATUS CHECK, and after which its task goes to another member.
   */
  readonly warnAfterMs: number;
  readonly reassignAfterMs: number;
  /** Milliseconds from the shutdown request to the first signal. */
  readonly shutdownWaitMs: number;
}

/** What limits a wait. */
export interface Limit {
  /** Wall time in milliseconds. */
  readonly at: number;
  /** One sentence. */
  readonly text: string;
}

export interface Explanation {
  /** Null if it waits for nothing. */
  readonly waitingFor: string | null;
  readonly since: string | null;
  /** Who must act next. */
  readonly who: string | null;
  readonly next: string;
  /** When the next step happens by itself, if known: ISO 8601. */
  readonly nextAt?: string | undefined;
  /** What happens if the awaited step does not come. */
  readonly limit?: Limit | undefined;
  /** Further members and tasks whose events are shown as evidence. */
  readonly about?: EvidenceSubject;
}

/** A request to the lead whose answer has not been delivered yet. */
export function askedLead(facts: Facts, request: OpenRequest): Explanation {
  const { waitingFor, next } = asked(request, facts);
  const about = request.task === undefined ? {} : { tasks: [request.task] };
  // It can be answered without a lead process.
  const leaderless = facts.lead.alive ? '' : ` ${withLead(facts, '')}`;
  return { waitingFor, since: request.at, who: LEAD, next: `${next}${leaderless}`, about };
}

function asked(
  { kind, from, id, task = '' }: OpenRequest,
  { team, reviewer }: Facts,
): Pick<Explanation, 'waitingFor' | 'next'> {
  switch (kind) {
    case 'question':
      return goesOn(from, `an answer to ${from}'s question`, `teams answer ${team} ${id} TEXT`);
    case 'plan':
      return goesOn(from, `the approval of ${from}'s plan`, `teams task approve ${team} ${task}`);
    case 'permission':
      return {
        waitingFor: `the permission for ${from} to use a tool`,
        next: `${from} continues when a person answers: \`teams answer ${team} ${id} yes\`, \`no REASON\` or \`always\`.`,
      };
    case 'review':
      return reviewed({ team, task, from }, reviewer);
    case 'consensus':
      return {
        waitingFor: `a decision about #${task}, whose discussion ended without consensus`,
        next: `The tasks that wait for it continue after \`teams task approve ${team} ${task}\`; \`teams task revise ${team} ${task} TEXT\` repeats the work.`,
      };
    default:
      return kind satisfies never;
  }
}

/** A person may answer in the place of a model that leads, and never the other way round. */
function reviewed(
  { team, task, from }: { readonly team: Name; readonly task: string; readonly from: Name },
  reviewer: Facts['reviewer'],
): Pick<Explanation, 'waitingFor' | 'next'> {
  const byModel = reviewer === 'lead';
  const who = byModel ? 'a review of its change by the model that leads' : "a person's review of its change";
  const when = byModel ? "that review (`TaskReview`), or a person's" : "a person's review";
  return {
    waitingFor: `${who} (\`teams diff ${team} ${task}\`)`,
    next: `#${task} lands after ${when}: \`teams task approve ${team} ${task}\`, or \`teams task refuse ${team} ${task} TEXT\` sends it back to ${from}.`,
  };
}

const goesOn = (from: Name, waitingFor: string, verb: string): Pick<Explanation, 'waitingFor' | 'next'> => ({
  waitingFor,
  next: `${from} continues when the lead answers: \`${verb}\`.`,
});

/** @returns `next` if a lead process lives; else that the team has no lead */
export const withLead = ({ lead, team }: Facts, next: string): string =>
  lead.alive ? next : `The team has no lead: \`teams resume ${team}\` continues it.`;

/** `in 3s`; a time in the past means the lead's next look. Programs find the time itself in `nextAt`. */
export const atTime = ({ now }: Pick<Facts, 'now'>, at: number): string =>
  at > now ? `in ${duration(at - now)}` : 'at the next look';

/** The later of two times: the wait began when both conditions held. */
export const laterOf = (a: string | null, b: string | null): string | null => (a === null || (b ?? '') > a ? b : a);

/** The same time for programs. It needs a living lead, which would act, and a time in the future. */
export const dueAt = ({ lead, now }: Facts, at: number): Pick<Explanation, 'nextAt'> =>
  lead.alive && at > now ? { nextAt: timestamp(at) } : {};
