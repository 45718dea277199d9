/**
 * Everything that happens in a team as one stream: the board's log and the event log, merged by time. What the board
 * refused did not happen and is not shown. Nothing is written, so any number of readers may follow.
 */
import { openForReading, type TeamReader } from '../store/team-reader.ts';
import { factsOf, logFact, type Fact, type ShownEvent } from '../model/shown-event.ts';
import { Waker } from './waker.ts';

export interface EventOptions {
  /** The number of the first event that is wanted. */
  readonly from?: number;
  /** Goes on with what happens later, until the team is closed or `signal` aborts. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** Follows until this aborts: what happened before that is still told. */
  readonly until?: AbortSignal;
}

/**
 * Yields the events of a team in the order of their times; among equal ones, and within one log, in file order.
 *
 * @throws UsageError `UNKNOWN_TEAM`; StoreError `NEWER_VERSION`
 */
export async function* teamEvents(
  store: Logs,
  { from = 1, ...options }: EventOptions = {},
): AsyncGenerator<ShownEvent, void, undefined> {
  for await (const news of teamNews(store, options))
    for (const event of news) {
      if (options.signal?.aborted === true) return;
      if (event.number >= from) yield event;
    }
}

type Logs = Pick<TeamReader, 'paths' | 'disk' | 'clock'>;

/** The same, as many at once as there are: for a view that is drawn after each look. Never yields an empty portion. */
export async function* teamNews(
  store: Logs,
  { follow = false, signal, until = signal }: Omit<EventOptions, 'from'> = {},
): AsyncGenerator<readonly ShownEvent[], void, undefined> {
  const { paths, disk, clock } = store;
  const waker = follow ? new Waker(disk, clock, [paths.log, paths.events], until) : undefined;
  const logs = new TwoLogs(store);
  try {
    let number = 0;
    // The last facts may follow the closing: it is looked once more then.
    for (let wasClosed = false; ; wasClosed = logs.isClosed) {
      const isLast = waker === undefined || wasClosed || until?.aborted === true;
      const news = [...logs.news()].map((fact): ShownEvent => ({ ...fact, number: (number += 1) }));
      if (signal?.aborted === true) return;
      if (news.length > 0) yield news;
      if (isLast) return;
      await waker.wait();
    }
  } finally {
    waker?.close();
    logs.close();
  }
}

/** Both logs of a team, each read on from where it was left. */
class TwoLogs {
  readonly #store: ReturnType<typeof openForReading>;
  #facts: Fact[] = [];
  #offset = 0;

  constructor({ paths, ...environment }: Logs) {
    const store = openForReading(paths, {
      ...environment,
      onFolded: ({ event, outcome }) => {
        if (outcome.ok) for (const fact of factsOf(event, store.board.board)) this.#facts.push(fact);
      },
    });
    this.#store = store;
  }

  get isClosed(): boolean {
    return this.#store.board.board.phase === 'closed';
  }

  /** What was appended since the last call. */
  news(): Iterable<Fact> {
    const { board, events } = this.#store;
    board.fold();
    const changes = this.#facts;
    this.#facts = [];
    const logged: Fact[] = [];
    const reader = events.read(this.#offset);
    let next = reader.next();
    for (; next.done !== true; next = reader.next()) logged.push(logFact(next.value.event));
    this.#offset = next.value;
    return merged(changes, logged);
  }

  close(): void {
    this.#store.close();
  }
}

/** Two sequences as one, by time; each keeps its own order, and on a tie the first goes first. */
export function* merged<T extends { readonly at: string }>(one: readonly T[], other: readonly T[]): Generator<T> {
  let next = 0;
  for (const fact of one) {
    for (let rival = other[next]; rival !== undefined && rival.at < fact.at; rival = other[next]) {
      yield rival;
      next += 1;
    }
    yield fact;
  }
  yield* other.slice(next);
}
