/** `teams why`: what a team, a member or a task waits for, since when, whose move it is, and what comes next. */
import type { Board } from '../model/board.ts';
import { isLead, type Name } from '../model/names.ts';
import { resolveTask } from '../model/reference.ts';
import type { Task } from '../model/task.ts';
import { decisionText } from '../policy/decision.ts';
import { explainTask } from '../policy/explain-task.ts';
import { explainMember, explainTeam } from '../policy/explain-team.ts';
import type { Explanation, Facts } from '../policy/explanation.ts';
import { duration } from '../policy/wording.ts';
import type { TeamReader } from '../store/team-reader.ts';
import { lookAtTeam } from './status.ts';
import type { ShownEvent } from '../model/shown-event.ts';
import { teamEvents } from './team-events.ts';
import { whyFacts } from './why-facts.ts';

export interface Why extends Explanation {
  /** `team login`, `member ada`, `task #3`. */
  readonly subject: string;
  /** How it stands, in a clause. */
  readonly state: string;
  /** The last of what happened to it, and what the lead last decided about it. */
  readonly events: readonly ShownEvent[];
}

export interface WhyOptions {
  readonly watchdogWarningMs?: number;
  readonly watchdogReassignMs?: number;
}

const REASSIGN_AFTER_MS = 600_000;
const SHOWN_EVENTS = 8;

/**
 * @param subject a member's name, or a task's key, subject or id; the team, without one
 * @throws UsageError `UNKNOWN_TASK`, `BAD_REFERENCE` when it is neither
 */
export async function why(store: TeamReader, subject?: string, options: WhyOptions = {}): Promise<Why> {
  const { watchdogWarningMs, watchdogReassignMs = REASSIGN_AFTER_MS } = options;
  const look = lookAtTeam(store, watchdogWarningMs === undefined ? {} : { stalledAfterMs: watchdogWarningMs });
  const facts = whyFacts(store, look, watchdogReassignMs);
  const found = subjectOf(look.board, subject);
  const events = await lastEvents(store, found, look.board);
  switch (found.is) {
    case 'team':
      return {
        subject: `team ${facts.team}`,
        state: `${look.stage.status}, ${look.stage.phase}`,
        ...explainTeam(facts),
        events,
      };
    case 'member':
      return {
        subject: `member ${found.name}`,
        state: stateOf(facts, found.name),
        ...explainMember(facts, found.name),
        events,
      };
    case 'task':
      return { subject: `task #${found.task.id}`, state: found.task.status, ...explainTask(facts, found.task), events };
    default:
      return found satisfies never;
  }
}

/** One paragraph, with what the lead last decided of it and why. @param now wall time in milliseconds */
export function whyText({ subject, state, waitingFor, since, who, next, events }: Why, now: number): string {
  const head = `${subject.charAt(0).toUpperCase()}${subject.slice(1)} (${state})`;
  const decided = decidedText(events);
  if (waitingFor === null) return `${head} waits for nothing. ${next}${decided}`;
  const time = since === null ? '' : ` since ${since} (${duration(now - Date.parse(since))})`;
  const move = who === null ? '' : ` The next move is ${who}'s.`;
  return `${head} waits for ${waitingFor}${time}.${move} ${next}${decided}`;
}

function decidedText(events: readonly ShownEvent[]): string {
  const last = events.findLast(isDecision);
  return last === undefined ? '' : ` The last decision about it: at ${last.at} the lead ${decisionText(last)}.`;
}

const isDecision = ({ type }: ShownEvent): boolean => type === 'lead.decided';

type Subject =
  | { readonly is: 'team' }
  | { readonly is: 'member'; readonly name: Name }
  | { readonly is: 'task'; readonly task: Task };

function subjectOf(board: Board, text: string | undefined): Subject {
  if (text === undefined || isLead(text)) return { is: 'team' };
  const member = [...board.members.values()].find(({ name }) => name === text);
  return member ? { is: 'member', name: member.name } : { is: 'task', task: resolveTask(board, text) };
}

const stateOf = ({ members }: Facts, name: Name): string => {
  const status = members.get(name)?.status;
  return status ? `${status.state}: ${status.reason}` : 'unknown';
};

async function lastEvents(store: TeamReader, subject: Subject, board: Board): Promise<ShownEvent[]> {
  const last: ShownEvent[] = [];
  let decision: ShownEvent | undefined;
  for await (const event of teamEvents(store)) {
    if (!concerns(event, subject, board)) continue;
    last.push(event);
    if (isDecision(event)) decision = event;
    if (last.length > SHOWN_EVENTS) last.shift();
  }
  // What the lead decided last explains the most, however much has happened since.
  return decision === undefined || last.includes(decision) ? last : [decision, ...last.slice(1)];
}

function concerns(event: ShownEvent, subject: Subject, board: Board): boolean {
  if (subject.is === 'team') return true;
  // What was asked, and what was answered, is the asker's and the task's, whoever said it.
  const id = 'request' in event && typeof event.request === 'string' ? event.request : '';
  const request = board.requests.get(id);
  if (subject.is === 'member') {
    const isTo = isDecision(event) && 'to' in event && event.to === subject.name;
    return event.member === subject.name || isTo || request?.from === subject.name;
  }
  const task = 'task' in event ? event.task : undefined;
  return (typeof task === 'object' ? task.id : (task ?? request?.task)) === subject.task.id;
}
