/** `teams why`: what a team, a member or a task waits for, since when, who must act, and what comes next. */
import { timeOfDay } from '../../model/team/colors-and-times.ts';
import type { Board } from '../../model/board/board.ts';
import { timestamp } from '../../model/text/clock.ts';
import { didYouMeanOr } from '../../model/text/did-you-mean.ts';
import { codeOf, UsageError } from '../../model/text/errors.ts';
import { isLead, isName, LEAD, type Name } from '../../model/text/names.ts';
import { resolveTask } from '../../model/board/task-reference.ts';
import type { Task } from '../../model/board/task.ts';
import { decisionEvidence } from '../../policy/decision.ts';
import { explainTask } from '../../policy/explain/explain-task.ts';
import { explainMember, explainTeam } from '../../policy/explain/explain-team.ts';
import type { Explanation, Facts } from '../../policy/explain/explanation.ts';
import { Evidence, isDecision } from '../../policy/view/evidence.ts';
import { StateTimes } from '../../policy/view/state-times.ts';
import { duration } from '../../policy/mail-wording.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { lookAtTeam, unreadOf, type TeamLook } from './status.ts';
import type { MemberHistory } from '../../model/team/event-summary.ts';
import { MemberHistories } from '../../policy/view/member-history.ts';
import type { Fact, ShownEvent } from '../../model/team/shown-event.ts';
import { IndexedEvents } from '../process/event-indexing.ts';
import { TimeSlices } from '../process/time-slices.ts';
import { TwoLogs } from './merged-log.ts';
import { TeamPast } from './team-past.ts';
import { whyFacts, type WhyLimits } from './why-facts.ts';

/** Without its number in the stream if the stream was not read from its start. */
type WhyEvent = Fact & { readonly number?: number | undefined };

export interface Why extends Omit<Explanation, 'nextAt' | 'limit' | 'about'> {
  /** `team login`, `member ada`, `task #3`. */
  readonly subject: string;
  /** Its state, as a clause. */
  readonly state: string;
  /** When the next step happens by itself, if that is known. */
  readonly nextAt: string | null;
  /** Its last events, and the lead's last decision about it. */
  readonly events: readonly WhyEvent[];
}

/**
 * @param subject a member's name, or a task's key, subject or id; without one the team
 * @throws UsageError `UNKNOWN_TASK`, `BAD_REFERENCE` if it is neither
 */
export async function why(store: TeamReader, subject?: string, limits: WhyLimits = {}): Promise<Why> {
  const indexed = new IndexedEvents(store);
  const histories = new MemberHistories(indexed.histories);
  const logs = new TwoLogs({ ...store, onLogged: (event) => histories.add(event), from: { event: indexed.end } });
  try {
    const slices = new TimeSlices();
    while (!logs.readSome(PORTION)) await slices.pause();
    return answer(logs, { indexed, histories: histories.byMember }, subject, limits);
  } finally {
    logs.close();
    indexed.close();
  }
}

/** Records of each log that are read at once. */
const PORTION = 20;

interface Past {
  readonly indexed: IndexedEvents;
  readonly histories: ReadonlyMap<string, MemberHistory>;
}

function answer(logs: TwoLogs, { indexed, histories }: Past, subject: string | undefined, limits: WhyLimits): Why {
  const { store } = logs;
  const { watchdogWarningMs: stalledAfterMs } = limits;
  const known = { histories, unread: (name: Name) => unreadOf(store, name) };
  const look = lookAtTeam(store, { stalledAfterMs, known });
  const found = subjectOf(look.board, subject);
  const past = new TeamPast(store, indexed);
  const since = new StateTimes(past.times);
  const evidence = new Evidence(look.board, (subjects) => past.latest(subjects));
  let number = 0;
  for (const fact of logs.take()) {
    const event = Object.assign(fact, { number: (number += 1) });
    since.add(event);
    evidence.add(event);
  }
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
    events: evidence.behind(thingOf(found), about).map((event) => (past.isKnown ? unnumbered(event) : event)),
  };
}

function unnumbered({ number: _, ...fact }: ShownEvent): WhyEvent {
  return fact;
}

/**
 * One paragraph, with the lead's last decision and its reason.
 *
 * @param now wall time in milliseconds
 */
export function whyText({ subject, state, waitingFor, since, who, next, events }: Why, now: number): string {
  const head = `${subject.charAt(0).toUpperCase()}${subject.slice(1)} (${state})`;
  const decided = decidedText(events);
  const time = since === null ? '' : ` since ${timeOfDay(since)} (${duration(now - Date.parse(since))})`;
  if (waitingFor === null) return `${head} waits for nothing${time}. ${next}${decided}`;
  const move = who === null ? '' : ` The next move is ${who === LEAD ? "the lead's" : `${who}'s`}.`;
  return `${head} waits for ${waitingFor}${time}.${move} ${next}${decided}`;
}

function decidedText(events: readonly WhyEvent[]): string {
  const last = events.findLast(isDecision);
  return last === undefined ? '' : ` The last decision behind it: at ${timeOfDay(last.at)} ${decisionEvidence(last)}.`;
}

type Subject =
  | { readonly kind: 'team' }
  | { readonly kind: 'member'; readonly name: Name }
  | { readonly kind: 'task'; readonly task: Task };

function subjectOf(board: Board, text: string | undefined): Subject {
  if (text === undefined || isLead(text)) return { kind: 'team' };
  const member = [...board.members.values()].find(({ name }) => name === text);
  return member ? { kind: 'member', name: member.name } : { kind: 'task', task: taskOf(board, text) };
}

/** @throws UsageError `UNKNOWN_TASK` that says that there is no member of this name either; `BAD_REFERENCE` */
function taskOf(board: Board, text: string): Task {
  try {
    return resolveTask(board, text);
  } catch (error) {
    if (codeOf(error) !== 'UNKNOWN_TASK' || !isName(text) || /^[0-9]+$/.test(text)) throw error;
    const name = board.team?.name ?? '';
    const cure = didYouMeanOr(`\`teams status ${name}\` lists both`, text, board.members.keys());
    throw new UsageError('UNKNOWN_TASK', `Team ${name} has neither a member nor a task ${text}${cure}`);
  }
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
