/**
 * Both logs of a team, the board's log and the event log. Each line is read once: to the end, or in parts, so that a
 * long past does not block the process. Nothing is written.
 */
import { factsOf, logFact, type Fact } from '../../model/team/shown-event.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import type { Numbered } from '../../store/board/events.ts';
import { openForReading, type TeamReader } from '../../store/team/team-reader.ts';

interface TwoLogsOptions extends Pick<TeamReader, 'paths' | 'disk' | 'clock'> {
  /** Called for each event of the event log as it is read. */
  readonly onLogged?: (event: TeamEvent) => void;
  /**
   * Where to begin: at the start of both logs, at the board's checkpoint and at a number of the event log, or at their
   * ends.
   */
  readonly from?: 'start' | 'now' | { readonly event: number };
  /** What was recorded before a lead came is told as `isPast`. */
  readonly present?: Present | undefined;
}

/** Where a lead came, in both logs: by their order, because clocks are set. */
export interface Present {
  readonly epoch: number;
  /** Offset in the event log. */
  readonly event: number;
}

export class TwoLogs {
  readonly store: TeamReader;
  readonly #onLogged: (event: TeamEvent) => void;
  readonly #close: () => void;
  readonly #present: Present | undefined;
  /** Whether the lead's own record comes later. */
  #isPast: boolean;
  #facts: Fact[] = [];
  #logged: Fact[] = [];
  #offset = 0;
  /** A reader in the middle of the event log. */
  #reader: Generator<Numbered, number> | undefined;

  /** @throws UsageError `UNKNOWN_TEAM` */
  constructor({ paths, disk, clock, onLogged = () => {}, from = 'start', present }: TwoLogsOptions) {
    this.#present = present;
    this.#isPast = present !== undefined;
    const store = openForReading(paths, {
      disk,
      clock,
      isFromCheckpoint: from !== 'start',
      onFolded: ({ event, outcome }) => {
        if (!outcome.ok) return;
        if (event.type === 'lead.took' && event.epoch === present?.epoch) this.#isPast = false;
        const facts = factsOf(event, store.board.board);
        for (const fact of facts) this.#facts.push(this.#isPast ? { ...fact, isPast: true } : fact);
      },
    });
    this.store = store;
    this.#onLogged = onLogged;
    this.#close = () => store.close();
    if (typeof from === 'object') this.#offset = from.event;
    if (from !== 'now') return;
    store.board.fold();
    this.#facts = [];
    this.#offset = store.events.end();
  }

  /**
   * Reads at most `most` lines of each log.
   *
   * @returns whether that was all
   * @throws StoreError `NEWER_VERSION`
   */
  readSome(most: number): boolean {
    const isFolded = this.store.board.foldSome(most);
    return this.#readEvents(most) && isFolded;
  }

  readAll(): void {
    this.readSome(Infinity);
  }

  /** What was read since the last call, ordered by time. */
  take(): Iterable<Fact> {
    const [facts, logged] = [this.#facts, this.#logged];
    [this.#facts, this.#logged] = [[], []];
    return merged(facts, logged);
  }

  close(): void {
    this.#reader?.return(0);
    this.#close();
  }

  #readEvents(most: number): boolean {
    this.#reader ??= this.store.events.read(this.#offset);
    for (let count = 0; count < most; count += 1) {
      const next = this.#reader.next();
      if (next.done === true) {
        [this.#offset, this.#reader] = [next.value, undefined];
        return true;
      }
      const { event, at } = next.value;
      this.#onLogged(event);
      const fact = logFact(event);
      this.#logged.push(at < (this.#present?.event ?? 0) ? { ...fact, isPast: true } : fact);
    }
    return false;
  }
}

/** Merges two sequences by time; each keeps its own order, and on a tie the first sequence goes first. */
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
