/** The index of the event log: what `status` and `why` take from it, and how the lead writes it. */
import type { EventSummary, MemberHistory } from '../../model/team/event-summary.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { MemberHistories } from '../../policy/view/member-history.ts';
import { EventPast, type EventPlaces, type EventsBefore } from '../../policy/view/event-past.ts';
import { EventIndex, writeEventIndex } from '../../store/board/event-index.ts';
import { Doubt } from '../../store/files/checked-pages.ts';
import { lookAt } from '../../store/files/disk.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';

/** Bytes of the event log that are worth an index: reading them takes as long as a verb. */
const WORTH_AN_INDEX = 1024 * 1024;

/** Events that are folded between two pauses. */
const PORTION = 100;

type Logs = Pick<TeamReader, 'disk' | 'paths' | 'events' | 'board'>;

/**
 * What the index says about the events before its end. Where there is none that is believed, its end is 0: the caller
 * reads every event.
 */
export class IndexedEvents implements EventsBefore {
  readonly end: number;
  readonly #store: Logs;
  readonly #index: EventIndex | undefined;
  readonly #summary: EventSummary;
  /** What it covers, folded anew: a page was damaged. */
  #folded: EventPast | undefined;

  constructor(store: Logs) {
    const opened = openIndex(store);
    this.#store = store;
    this.#index = opened?.index;
    this.#summary = opened?.summary ?? { histories: [], times: [] };
    this.end = opened?.index.end ?? 0;
  }

  get histories(): EventSummary['histories'] {
    return this.#summary.histories;
  }

  get times(): EventSummary['times'] {
    return this.#summary.times;
  }

  placesOf(subject: string): EventPlaces | undefined {
    if (this.#index === undefined) return undefined;
    try {
      if (this.#folded === undefined) return this.#index.placesOf(subject);
    } catch (error) {
      if (!(error instanceof Doubt)) throw error;
    }
    this.#folded ??= this.#foldAnew();
    return this.#folded.placesOf(subject);
  }

  close(): void {
    this.#index?.close();
  }

  #foldAnew(): EventPast {
    const past = new EventPast();
    for (const { at, event } of this.#store.events.read()) {
      if (at >= this.end) break;
      past.add(at, event, this.#store.board.board.requests);
    }
    return past;
  }
}

function openIndex({ disk, paths, events }: Logs): { index: EventIndex; summary: EventSummary } | undefined {
  if (lookAt(disk, paths.eventIndex) === undefined) return undefined;
  let index: EventIndex | undefined;
  try {
    index = new EventIndex(disk, paths.eventIndex, events);
    return { index, summary: index.summary() };
  } catch (error) {
    index?.close();
    if (error instanceof Doubt) return undefined;
    throw error;
  }
}

/**
 * Writes the index, if the log grew so much since the last one. An index saves time and nothing else: that it cannot be
 * written is no error.
 *
 * @param worth bytes
 * @returns steps of a few milliseconds each
 */
export function* indexEvents(store: Logs, worth = WORTH_AN_INDEX): Generator<undefined> {
  const size = store.events.size();
  if (size < worth) return;
  let last: ReturnType<typeof openIndex>;
  try {
    last = openIndex(store);
    if (last !== undefined && size - last.index.end < worth) return;
    yield* write(store, last?.index);
  } catch (error) {
    if (error instanceof Doubt) yield* write(store, undefined);
    else if (!isTeamError(error)) throw error;
  } finally {
    last?.index.close();
  }
}

function* write({ disk, paths, events, board }: Logs, before: EventIndex | undefined): Generator<undefined> {
  const past = new EventPast(before && { ...before.summary(), placesOf: (subject) => before.placesOf(subject) });
  const reader = events.read(before?.end ?? 0);
  let [last, count] = [-1, 0];
  for (let next = reader.next(); ; next = reader.next()) {
    if (next.done === true) {
      if (last < 0) return;
      const { summary, places } = past;
      const place = { disk, path: paths.eventIndex, log: events };
      yield* writeEventIndex(place, { end: next.value, last, summary, places }, before);
      return;
    }
    past.add(next.value.at, next.value.event, board.board.requests);
    last = next.value.at;
    count += 1;
    if (count % PORTION === 0) yield;
  }
}

/** What the event log says about each member; one without events has no entry. */
export function historiesOf(store: Logs): ReadonlyMap<string, MemberHistory> {
  const indexed = new IndexedEvents(store);
  try {
    const histories = new MemberHistories(indexed.histories);
    for (const { event } of store.events.read(indexed.end)) histories.add(event);
    return histories.byMember;
  } finally {
    indexed.close();
  }
}
