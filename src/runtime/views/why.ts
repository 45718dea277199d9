/** `teams why`: what a team, a member or a task waits for, since when, who must act, and what comes next. */
import type { Board } from '../../model/board/board.ts';
import { timestamp } from '../../model/text/clock.ts';
import { isLead, LEAD, type Name } from '../../model/text/names.ts';
import { resolveTask } from '../../model/board/task-reference.ts';
import type { Task } from '../../model/board/task.ts';
import { decisionClause } from '../../policy/decision.ts';
import { explainTask } from '../../policy/explain/explain-task.ts';
import { explainMember, explainTeam } from '../../policy/explain/explain-team.ts';
import type { Explanation, Facts } from '../../policy/explain/explanation.ts';
import { Evidence, isDecision } from '../../policy/view/evidence.ts';
import { StateTimes } from '../../policy/view/state-times.ts';
import { duration } from '../../policy/mail-wording.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { lookAtTeam, type TeamLook } from './status.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { teamNews } from './team-events.ts';
import { whyFacts, type WhyLimits } from './why-facts.ts';

export interface Why extends Omit<Explanation, 'nextAt' | 'limit' | 'about'> {
  /** `team login`, `member ada`, `task #3`. */
  readonly subject: string;
  /** Its state, as a clause. */
  readonly state: string;
  /** When the next step happens by itself, if that is known. */
  readonly nextAt: string | null;
  /** Its last events, and the lead's last decision about it. */
  readonly events: readonly ShownEvent[];
}

/**
 * @param subject a member's name, or a task's key, subject or id; without one the team
 * @throws UsageError `UNKNOWN_TASK`, `BAD_REFERENCE` if it is neither
 */
export async function why(store: TeamReader, subject?: string, limits: WhyLimits = {}): Promise<Why> {
  const { watchdogWarningMs } = limits;
  const look = lookAtTeam(store, watchdogWarningMs === undefined ? {} : { stalledAfterMs: watchdogWarningMs });
  const found = subjectOf(look.board, subject);
  const { since, evidence } = await pastOf(store, look.board);
  const facts = whyFacts(store, look, since, limits);
  const { waitingFor, since: from, who, about = {}, ...after } = explain(facts, found);
  return {
    subject:
      found.kind === 'team'
        ? `team ${facts.team}`
        : found.kind === 'member'
          ? `member ${found.name}`
          : `task #${found.task.id}`,
    state: stateOf(facts, look, found),
    waitingFor,
    since: from,
    who,
    ...nextOf(after),
    events: evidence.behind(thingOf(found), about),
  };
}

/**
 * One paragraph, with the lead's last decision and its reason.
 *
 * @param now wall time in milliseconds
 */
export function whyText({ subject, state, waitingFor, since, who, next, events }: Why, now: number): string {
  const head = `${subject.charAt(0).toUpperCase()}${subject.slice(1)} (${state})`;
  const decided = decidedText(events);
  const time = since === null ? '' : ` since ${since} (${duration(now - Date.parse(since))})`;
  if (waitingFor === null) return `${head} waits for nothing${time}. ${next}${decided}`;
  const move = who === null ? '' : ` The next move is ${who === LEAD ? "the lead's" : `${who}'s`}.`;
  return `${head} waits for ${waitingFor}${time}.${move} ${next}${decided}`;
}

function decidedText(events: readonly ShownEvent[]): string {
  const last = events.findLast(isDecision);
  return last === undefined
    ? ''
    : ` The last decision behind it: at ${last.at} ${decisionClause(last).replace(/\.$/, '')}.`;
}

type Subject =
  | { readonly kind: 'team' }
  | { readonly kind: 'member'; readonly name: Name }
  | { readonly kind: 'task'; readonly task: Task };

function subjectOf(board: Board, text: string | undefined): Subject {
  if (text === undefined || isLead(text)) return { kind: 'team' };
  const member = [...board.members.values()].find(({ name }) => name === text);
  return member ? { kind: 'member', name: member.name } : { kind: 'task', task: resolveTask(board, text) };
}

/** The next step with its time limit, and the earlier of both times. */
function nextOf({ next, nextAt, limit }: Pick<Explanation, 'next' | 'nextAt' | 'limit'>): Pick<Why, 'next' | 'nextAt'> {
  const until = limit && timestamp(limit.at);
  return { next: limit === undefined ? next : `${next} ${limit.text}`, nextAt: nextAt ?? until ?? null };
}

function explain(facts: Facts, subject: Subject): Explanation {
  if (subject.kind === 'team') return explainTeam(facts);
  return subject.kind === 'member' ? explainMember(facts, subject.name) : explainTask(facts, subject.task);
}

function stateOf({ members }: Facts, { outcome }: TeamLook, subject: Subject): string {
  if (subject.kind === 'team') return outcome;
  if (subject.kind === 'task') return subject.task.status;
  const status = members.get(subject.name)?.status;
  return status ? `${status.state}: ${status.reason}` : 'unknown';
}

/** The subject as a key of the evidence. */
function thingOf(subject: Subject): string {
  if (subject.kind === 'team') return 'team';
  return subject.kind === 'member' ? `member ${subject.name}` : `task ${subject.task.id}`;
}

async function pastOf(store: TeamReader, board: Board): Promise<{ since: StateTimes; evidence: Evidence }> {
  const since = new StateTimes();
  const evidence = new Evidence(board);
  for await (const news of teamNews(store))
    for (const event of news) {
      since.add(event);
      evidence.add(event);
    }
  return { since, evidence };
}
