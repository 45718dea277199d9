/**
 * The events behind an answer, collected in one pass: the latest events of each task, each member, each member's
 * process and the team. The lead's last decision is always kept. Of agents' output only little is kept, because it
 * explains little.
 */
import type { Requests } from '../../model/board/request.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { isDecisionType } from '../decision.ts';
import { isSpeech } from './team-projection.ts';

/** What an answer refers to besides its subject. */
export interface EvidenceSubject {
  readonly tasks?: readonly string[] | undefined;
  /** Members whose process matters. */
  readonly members?: readonly string[];
}

/** How many events of a subject are kept at most: facts, and lines of agents' output. */
export const KEPT_FACTS = 8;
export const KEPT_SPEECH = 2;
/** At most this many events are shown. */
export const SHOWN = 8;
/** How many of a subject's own events come before related ones. */
export const OWN = 4;

/** The latest events of one subject. */
class Latest {
  readonly #facts: ShownEvent[] = [];
  readonly #speech: ShownEvent[] = [];
  decision: ShownEvent | undefined;

  add(event: ShownEvent): void {
    const [kept, most] = isSpeech(event) ? [this.#speech, KEPT_SPEECH] : [this.#facts, KEPT_FACTS];
    kept.push(event);
    if (kept.length > most) kept.shift();
    if (isDecision(event)) this.decision = event;
  }

  /** Newest first. */
  get events(): ShownEvent[] {
    return [...this.#facts, ...this.#speech].sort(newestFirst);
  }

  /** The same with the last decision, oldest first. */
  get all(): ShownEvent[] {
    const { events, decision } = this;
    return [...(decision === undefined || events.includes(decision) ? [] : [decision]), ...events.reverse()];
  }
}

const newestFirst = (a: ShownEvent, b: ShownEvent): number => b.number - a.number;

export const isDecision = ({ type }: Pick<ShownEvent, 'type'>): boolean => isDecisionType(type);

/**
 * The latest events about some subjects from before the first event that is added, oldest first. Their numbers are lower
 * than those of all that are added.
 */
type EventsBefore = (subjects: readonly string[]) => readonly ShownEvent[];

export class Evidence {
  readonly #requests: Requests['requests'];
  readonly #before: EventsBefore;
  readonly #latest = new Map<string, Latest>();

  constructor({ requests }: Pick<Requests, 'requests'>, before: EventsBefore = () => []) {
    this.#requests = requests;
    this.#before = before;
  }

  add(event: ShownEvent): void {
    for (const subject of subjectsOf(event, this.#requests)) {
      const latest = this.#latest.get(subject) ?? new Latest();
      this.#latest.set(subject, latest);
      latest.add(event);
    }
  }

  /**
   * @param subject `team`, `member ada`, `task 3`
   * @returns at most SHOWN events, oldest first
   */
  behind(subject: string, { tasks = [], members = [] }: EvidenceSubject): ShownEvent[] {
    const related = [...tasks.map((id) => `task ${id}`), ...members.map((name) => `process ${name}`)].filter(
      (other) => other !== subject,
    );
    const before = this.#before([subject, ...related]);
    const others = related.flatMap((other) => this.#of(other, before).events).sort(newestFirst);
    const { decision, events: own } = this.#of(subject, before);
    const all = [decision ?? [], own.slice(0, OWN), others, own].flat();
    const wanted = all.filter((event) => !isRepeated(event, all));
    const shown = new Map<number, ShownEvent>();
    for (const event of wanted) if (shown.size < SHOWN) shown.set(event.number, event);
    return [...shown.values()].sort((a, b) => a.number - b.number);
  }

  /** The latest events of a subject, those from before included. */
  #of(subject: string, before: readonly ShownEvent[]): Latest {
    const latest = new Latest();
    for (const event of before) if (subjectsOf(event, this.#requests).has(subject)) latest.add(event);
    for (const event of this.#latest.get(subject)?.all ?? []) latest.add(event);
    return latest;
  }
}

/** Whether a later failure of the task says what an agent's event says. */
const isRepeated = ({ type, number, member, text = '' }: ShownEvent, all: readonly ShownEvent[]): boolean =>
  type.startsWith('agent.') &&
  text !== '' &&
  all.some((one) => FAILURES.has(one.type) && one.number > number && one.member === member && one.text?.includes(text));

const FAILURES: ReadonlySet<string> = new Set(['task.failed', 'task.released', 'task.given_back']);

/** The subjects of an event, as in {@link Evidence.behind}, and `process ada` for the process of a member. */
export function subjectsOf(event: ShownEvent, requests: Requests['requests']): Set<string> {
  const { member } = event;
  const subjects = new Set(['team']);
  // A question and its answer belong to the asking member and its task, not to the one that answered.
  const request = requests.get('request' in event && typeof event.request === 'string' ? event.request : '');
  const task = 'task' in event ? event.task : undefined;
  const id = typeof task === 'object' ? task.id : (task ?? request?.task);
  if (id !== undefined) subjects.add(`task ${id}`);
  if (member !== undefined) subjects.add(`member ${member}`);
  if (request !== undefined) subjects.add(`member ${request.from}`);
  if (isDecision(event) && 'to' in event && typeof event.to === 'string') subjects.add(`member ${event.to}`);
  if (member !== undefined && isOfProcess(event)) subjects.add(`process ${member}`);
  return subjects;
}

const isOfProcess = (event: ShownEvent): boolean =>
  event.type.startsWith('member.') || event.type === 'agent.failed' || isDecision(event);
