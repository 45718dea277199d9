/**
 * What `status` and `why` must know of the whole event log, folded event by event: each member's history and times, and
 * where the latest events about each subject are.
 */
import type { Requests } from '../../model/board/request.ts';
import { logFact } from '../../model/team/shown-event.ts';
import type { EventSummary, LogTimes, MemberHistory } from '../../model/team/event-summary.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { isDecision, KEPT_FACTS, KEPT_SPEECH, subjectsOf } from './evidence.ts';
import { MemberHistories } from './member-history.ts';
import { beginsTurn, timesInLog } from './state-times.ts';
import { isSpeech } from './team-projection.ts';

/** Numbers of the latest events about a subject in the event log, each list ascending. */
export interface EventPlaces {
  readonly facts: readonly number[];
  readonly speech: readonly number[];
  readonly decision?: number | undefined;
  /** Of a task: the last event at which a turn of it began, and the last failure of its agent. */
  readonly turn?: number | undefined;
  readonly failed?: number | undefined;
}

/** What the events before the first that is added say. */
export interface EventsBefore extends EventSummary {
  placesOf(subject: string): EventPlaces | undefined;
}

export class EventPast {
  readonly #histories: MemberHistories;
  readonly #times: Map<string, LogTimes>;
  readonly #places = new Map<string, KeptPlaces>();
  readonly #before: EventsBefore | undefined;

  constructor(before?: EventsBefore) {
    this.#before = before;
    this.#histories = new MemberHistories(before?.histories);
    this.#times = new Map(before?.times);
  }

  get histories(): ReadonlyMap<string, MemberHistory> {
    return this.#histories.byMember;
  }

  /** The latest times of each member. */
  get times(): ReadonlyMap<string, LogTimes> {
    return this.#times;
  }

  get summary(): EventSummary {
    return { histories: [...this.#histories.byMember], times: [...this.#times] };
  }

  /** The subjects of the events that were added. */
  get places(): ReadonlyMap<string, EventPlaces> {
    return this.#places;
  }

  /** @param subject as in `Evidence.behind` */
  placesOf(subject: string): EventPlaces | undefined {
    return this.#places.get(subject) ?? this.#before?.placesOf(subject);
  }

  /** @param number of the event in the log; it grows from call to call */
  add(number: number, event: TeamEvent, requests: Requests['requests']): void {
    this.#histories.add(event);
    const shown = Object.assign(logFact(event), { number });
    const { member } = event;
    if (member !== undefined) this.#times.set(member, timesInLog(this.#times.get(member), shown));
    for (const subject of subjectsOf(shown, requests)) {
      const places = this.#of(subject);
      if (isSpeech(shown)) keep(places.speech, KEPT_SPEECH, number);
      else keep(places.facts, KEPT_FACTS, number);
      if (isDecision(shown)) places.decision = number;
      if (!subject.startsWith('task ')) continue;
      if (beginsTurn(shown)) places.turn = number;
      if (shown.type === 'agent.failed') places.failed = number;
    }
  }

  #of(subject: string): KeptPlaces {
    const known = this.#places.get(subject);
    if (known) return known;
    const { facts = [], speech = [], decision, turn, failed } = this.#before?.placesOf(subject) ?? {};
    const made = { facts: [...facts], speech: [...speech], decision, turn, failed };
    this.#places.set(subject, made);
    return made;
  }
}

interface KeptPlaces {
  readonly facts: number[];
  readonly speech: number[];
  decision: number | undefined;
  turn: number | undefined;
  failed: number | undefined;
}

function keep(numbers: number[], most: number, number: number): void {
  numbers.push(number);
  if (numbers.length > most) numbers.shift();
}
