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

const SHOWN = 8;
const SPEECH = 2;
/** How many of a subject's own events come before related ones. */
const OWN = 4;

/** The latest events of one subject. */
class Latest {
  readonly #facts: ShownEvent[] = [];
  readonly #speech: ShownEvent[] = [];
  decision: ShownEvent | undefined;

  add(event: ShownEvent): void {
    const [kept, most] = isSpeech(event) ? [this.#speech, SPEECH] : [this.#facts, SHOWN];
    kept.push(event);
    if (kept.length > most) kept.shift();
    if (isDecision(event)) this.decision = event;
  }

  /** Newest first. */
  get events(): ShownEvent[] {
    return [...this.#facts, ...this.#speech].sort((a, b) => b.number - a.number);
  }
}

export const isDecision = ({ type }: ShownEvent): boolean => isDecisionType(type);

export class Evidence {
  readonly #requests: Requests['requests'];
  readonly #latest = new Map<string, Latest>();

  constructor({ requests }: Pick<Requests, 'requests'>) {
    this.#requests = requests;
  }

  add(event: ShownEvent): void {
    for (const subject of this.#subjectsOf(event)) {
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
    const others = [...tasks.map((id) => `task ${id}`), ...members.map((name) => `process ${name}`)]
      .filter((other) => other !== subject)
      .flatMap((other) => this.#latest.get(other)?.events ?? [])
      .sort((a, b) => b.number - a.number);
    const { decision, events: own = [] } = this.#latest.get(subject) ?? {};
    const wanted = [decision ?? [], own.slice(0, OWN), others, own].flat();
    const shown = new Map<number, ShownEvent>();
    for (const event of wanted) if (shown.size < SHOWN) shown.set(event.number, event);
    return [...shown.values()].sort((a, b) => a.number - b.number);
  }

  #subjectsOf(event: ShownEvent): Set<string> {
    const { member } = event;
    const subjects = new Set(['team']);
    // A question and its answer belong to the asking member and its task, whoever answered.
    const request = this.#requests.get('request' in event && typeof event.request === 'string' ? event.request : '');
    const task = 'task' in event ? event.task : undefined;
    const id = typeof task === 'object' ? task.id : (task ?? request?.task);
    if (id !== undefined) subjects.add(`task ${id}`);
    if (member !== undefined) subjects.add(`member ${member}`);
    if (request !== undefined) subjects.add(`member ${request.from}`);
    if (isDecision(event) && 'to' in event && typeof event.to === 'string') subjects.add(`member ${event.to}`);
    if (member !== undefined && isOfProcess(event)) subjects.add(`process ${member}`);
    return subjects;
  }
}

const isOfProcess = (event: ShownEvent): boolean =>
  event.type.startsWith('member.') || event.type === 'agent.failed' || isDecision(event);
