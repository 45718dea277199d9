/**
 * A team's past for a view that moves through it: the board, the members and what had happened, at any event. Moving on
 * folds only what lies between; moving back folds again from the start. Whether a process lived then is recorded
 * nowhere, so a member that had started counts as there.
 */
import { emptyBoard, type Board, type Member } from '../../model/board/board.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { Moment } from '../../model/text/moment.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { runOutcome } from '../../policy/run-outcome.ts';
import { describeMember } from '../../policy/supervise/progress.ts';
import { problemsOf } from '../../policy/view/team-problems.ts';
import { TeamProjection } from '../../policy/view/team-projection.ts';
import { lineEnds } from '../../store/board/line-ends.ts';
import type { Replayed } from '../../store/board/fold-line.ts';
import { realDisk } from '../../store/files/disk.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { openForReading, type TeamReader } from '../../store/team/team-reader.ts';
import { realClock } from '../../os/system-clock.ts';
import { TimeSlices } from '../process/time-slices.ts';
import { cutAt, factsIn, type PlacedFact } from './past-facts.ts';
import { PastInbox, type MailMoment } from './past-mail.ts';
import type { SnapshotMember, TeamSnapshot } from '../views/team-watch.ts';

/** Where a view of the past stands. Times are milliseconds since 1970. */
export interface PastPlace {
  /** The last event that had happened, and how many there are in all. */
  readonly number: number;
  readonly events: number;
  readonly at: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

export class TeamPlayback {
  readonly store: TeamReader;
  readonly #close: () => void;
  readonly #prices: Prices | undefined;
  readonly #all: readonly PlacedFact[];
  #projection: TeamProjection;
  #number = 0;
  #board: Board = emptyBoard();
  #records: Generator<Replayed> | undefined;
  /** Up to which record of the board's log the board is folded. */
  #place = -1;
  /** Where the lines of the board's log end. */
  #ends: readonly number[] | undefined;
  readonly #inboxes = new Map<Name, PastInbox>();

  private constructor(store: TeamReader & { close(): void }, all: readonly PlacedFact[], prices: Prices | undefined) {
    this.store = store;
    this.#close = () => store.close();
    this.#all = all;
    this.#prices = prices;
    this.#projection = new TeamProjection(prices);
  }

  /**
   * Reads what has happened until now; other work of the process goes on meanwhile.
   *
   * @throws UsageError `UNKNOWN_TEAM`; StoreError `NEWER_VERSION`
   */
  static async open(paths: TeamPaths, prices?: Prices): Promise<TeamPlayback> {
    const store = openForReading(paths, { disk: realDisk, clock: realClock });
    try {
      return new TeamPlayback(store, await factsIn(store), prices);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /** Shows the time of the moment. */
  readonly clock = { now: (): number => this.place.at };

  /** What happened up to this moment. */
  get projection(): TeamProjection {
    return this.#projection;
  }

  /** @throws UsageError `USAGE` while nothing has happened */
  get place(): PastPlace {
    const number = Math.max(1, this.#number);
    return {
      number,
      events: this.#all.length,
      at: this.#timeAt(number),
      firstAt: this.#timeAt(1),
      lastAt: this.#timeAt(this.#all.length),
    };
  }

  /** The last events that had happened. */
  lately(most: number): ShownEvent[] {
    const from = Math.max(0, this.#number - most);
    return this.#all.slice(from, this.#number).map(({ fact }, at) => ({ ...fact, number: from + at + 1 }));
  }

  /**
   * The number of the last event that had happened at a moment.
   *
   * @throws UsageError `USAGE` before the first event, or for an event or line that there is not
   */
  numberAt(moment: Moment): number {
    return cutAt(this.store.paths.name, this.#all, moment.kind === 'line' ? this.#lineEnds() : [], moment);
  }

  /** @param number an event's number, at least 1; a greater one than there is counts as the last */
  async moveTo(number: number): Promise<void> {
    const wanted = Math.min(this.#all.length, Math.max(1, number));
    if (wanted < this.#number) this.#restart();
    const slices = new TimeSlices();
    for (; this.#number < wanted; this.#number += 1) {
      const placed = this.#all[this.#number];
      if (placed === undefined) break;
      this.#projection.add({ ...placed.fact, number: this.#number + 1 });
      if (placed.place !== undefined) this.#foldTo(placed.place);
      await slices.pause();
    }
  }

  look(): TeamSnapshot {
    const board = this.#board;
    const hasLead = board.lead.epoch > 0 && board.phase !== 'closed';
    const then = this.#mailMoment();
    const members = [...board.members.values()].map((member) => ({
      ...memberThen(board, member),
      unread: this.#inboxOf(member.name).unreadAt(then),
    }));
    return {
      board,
      outcome: runOutcome(board, { isLed: hasLead, isCancelled: false }),
      lead: { pid: null, since: null, epoch: board.lead.epoch, alive: hasLead },
      members,
      unread: this.#inboxOf(LEAD).unreadAt(then),
      problems: problemsOf({ board, members, hasLead }),
      colors: new Map(this.store.config.read()?.members.map(({ name, color }) => [name, color])),
      gone: new Map(),
      at: this.place.at,
    };
  }

  close(): void {
    this.#records?.return(undefined);
    this.#close();
  }

  #restart(): void {
    this.#records?.return(undefined);
    this.#records = undefined;
    this.#projection = new TeamProjection(this.#prices);
    [this.#board, this.#place, this.#number] = [emptyBoard(), -1, 0];
  }

  #foldTo(place: number): void {
    this.#records ??= this.store.board.log.replay();
    while (this.#place < place) {
      const next = this.#records.next();
      if (next.done === true) return;
      [this.#board, this.#place] = [next.value.board, next.value.at];
    }
  }

  #mailMoment(): MailMoment {
    const end = this.#place < 0 ? 0 : (this.#lineEnds().find((one) => one > this.#place) ?? 0);
    return { ms: this.place.at, log: end, isOfBoard: this.#all[this.#number - 1]?.place !== undefined };
  }

  /** Mail of later than the first look at an inbox counts as not sent. */
  #inboxOf(name: Name): PastInbox {
    const known = this.#inboxes.get(name) ?? new PastInbox(this.store, name);
    this.#inboxes.set(name, known);
    return known;
  }

  #lineEnds(): readonly number[] {
    return (this.#ends ??= lineEnds(this.store.disk, this.store.paths.log));
  }

  #timeAt(number: number): number {
    return Date.parse(this.#all[number - 1]?.at ?? '');
  }
}

function memberThen(board: Board, member: Member): Omit<SnapshotMember, 'unread'> {
  const { name, role, incarnation } = member;
  const described = describeMember(board, member, { stalledAfterMs: Infinity });
  const isFree = described.state === 'joined';
  const state = isFree && incarnation !== null ? 'idle' : described.state;
  const reason = isFree ? (incarnation === null ? 'it was not started yet' : 'it had no task') : described.reason;
  return { name, role, state, reason, pid: null, task: board.busy.get(name) ?? null };
}
