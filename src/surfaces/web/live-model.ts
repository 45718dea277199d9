/**
 * What the page shows of one team: rows, each with the number of the event that last changed it. Reads only, and
 * notifies nobody.
 */
import {
  count,
  criticalPath,
  isFinal,
  remainingOf,
  workedMs,
  emptyBoard,
  type Board,
  type Clock,
  type TeamSnapshot,
  type ClaimSpan,
  type Spending,
  type Task,
  type TeamWatch,
} from '../../app.ts';
import type { CooperativeWork } from './cooperative.ts';
import { asJson } from './json.ts';
import { memberRows, sketchedMembers, spanRow, spentOf, taskRow } from './wire-rows.ts';
import type { EventRow, Head } from './wire-types.ts';

/** What it is made from: a team now, or at a moment of its past. */
type Watched = Pick<TeamWatch, 'look' | 'projection'> & { readonly clock: Pick<Clock, 'now'> };

interface ModelPlace {
  readonly id: string;
  readonly isArchived: boolean;
  /** Which team it is: see `Update`. */
  readonly of: string;
}

/** What the row of an ended task was made from. */
interface Made {
  readonly task: Task;
  readonly spending: Spending | undefined;
}

/** Rows that are made at once. */
const PORTION = 20;

const PARTS = ['members', 'starts', 'problems', 'edges', 'path'] as const;

/** How the run stands beside its rows, for a comparison. */
const standing = ({ outcome, lead, unread }: TeamSnapshot): string =>
  JSON.stringify([outcome, lead.alive, lead.pid, lead.machine, lead.epoch, unread]);

export class LiveModel {
  /** Why the view is not updated any more; null while it is. */
  trouble: string | null = null;
  readonly #place: ModelPlace;
  readonly #watch: Watched;
  readonly #tasks = new VersionedRows();
  readonly #spans = new VersionedRows();
  readonly #parts = new VersionedRows();
  readonly #final = new Map<string, Made>();
  /** Claims whose end was read. */
  readonly #settled = new Set<string>();
  #sketched: BoardStand;
  #snapshot: TeamSnapshot | undefined;
  #number = 0;

  constructor(place: ModelPlace, watch: Watched) {
    this.#place = place;
    this.#watch = watch;
    this.#sketched = standOf(emptyBoard());
  }

  /** The number of the last event that the rows include. */
  get number(): number {
    return this.#number;
  }

  get isSketch(): boolean {
    return this.#snapshot === undefined;
  }

  /** Makes rows from the board alone, because reading all events may take long. */
  *sketch(board: Board): CooperativeWork<void> {
    this.#sketched = standOf(board);
    yield* this.#putTasks(board, 1);
    this.#parts.put('members', sketchedMembers(board), 1);
  }

  /**
   * @returns whether anything changed
   * @throws StoreError when the team was archived in the meantime
   */
  *look(): CooperativeWork<boolean> {
    const snapshot = this.#watch.look();
    const { projection } = this.#watch;
    const number = projection.last?.number ?? 0;
    // The board may be ahead of the events that were read, so changed rows get a number above all that was sent.
    const since = this.#number + 1;
    const changes = [
      // A lead that is gone leaves no event.
      this.#snapshot === undefined || number > this.#number || standing(this.#snapshot) !== standing(snapshot),
      yield* this.#putTasks(snapshot.board, since),
      yield* this.#putSpans(snapshot, since),
      this.#parts.put('members', memberRows(snapshot, projection), since),
      this.#parts.put('starts', projection.spans.starts, since),
      this.#parts.put('problems', snapshot.problems, since),
      this.#parts.put(
        'edges',
        projection.flow.edges.map(({ from, to, count: times }) => ({ from, to, count: times })),
        since,
      ),
    ];
    [this.#snapshot, this.#number] = [snapshot, number];
    return changes.includes(true);
  }

  /**
   * An `Update` as JSON, joined from the texts of its rows.
   *
   * @param number up to which event it is told; rows may be of later ones, and are told again then
   */
  update(after: number, events: readonly EventRow[], number = this.#number): string {
    const parts = PARTS.flatMap((part) => {
      const text = this.#parts.one(part, after);
      return text === undefined ? [] : [`${JSON.stringify(part)}:${text}`];
    });
    const fields = [
      `"of":${JSON.stringify(this.#place.of)}`,
      `"number":${number}`,
      `"head":${asJson(this.#head())}`,
      `"tasks":${this.#tasks.list(after)}`,
      `"spans":${this.#spans.list(after)}`,
      `"events":${asJson(events)}`,
      ...parts,
    ];
    return `{${fields.join(',')}}`;
  }

  *#putTasks(board: TeamSnapshot['board'], since: number): CooperativeWork<boolean> {
    let [isChanged, count] = [false, 0];
    const { spending } = this.#watch.projection;
    for (const task of board.tasks.values()) {
      const spent = spending.tasks.get(task.id);
      const made = this.#final.get(task.id);
      if (made?.task === task && made.spending === spent) continue;
      if (task.metadata['_internal'] === true) continue;
      isChanged = this.#tasks.put(task.id, taskRow(board, task, spent), since) || isChanged;
      if ((count += 1) % PORTION === 0) yield;
      if (isFinal(task)) this.#final.set(task.id, { task, spending: spent });
    }
    return isChanged;
  }

  *#putSpans({ board, gone, at }: TeamSnapshot, since: number): CooperativeWork<boolean> {
    const spans = this.#watch.projection.spans.all(board.tasks, gone);
    let [isChanged, count] = [false, 0];
    for (const span of spans) {
      const key = `${span.task}.${span.claim}`;
      // A claim whose end is not read yet counts as lost until it is.
      if (isSettled(span) && this.#settled.has(key)) continue;
      if (isSettled(span)) this.#settled.add(key);
      isChanged = this.#spans.put(key, spanRow(span), since) || isChanged;
      if ((count += 1) % PORTION === 0) yield;
    }
    if (isChanged)
      this.#parts.put(
        'path',
        { ...criticalPath(board.tasks, workedMs(spans, at, this.#watch.projection.spans.lost)), at },
        since,
      );
    return isChanged;
  }

  #head(): Head {
    const { id, isArchived } = this.#place;
    const { projection, clock } = this.#watch;
    const sight = this.#snapshot;
    const stand = sight === undefined ? this.#sketched : standOf(sight.board);
    const { total } = projection.spending;
    return {
      id,
      isArchived,
      team: stand.team ?? id,
      isPaused: stand.isPaused,
      outcome: sight?.outcome,
      lead: sight
        ? {
            alive: sight.lead.alive,
            pid: sight.lead.pid,
            machine: sight.lead.machine,
            epoch: sight.lead.epoch,
            unread: sight.unread,
          }
        : { alive: false, pid: null, epoch: stand.epoch, unread: 0 },
      counts: stand.counts,
      spent: spentOf(total),
      unpriced: total.unpriced,
      remaining: sight === undefined ? null : this.#remaining(sight),
      firstAt: timeOf(projection.firstAt),
      lastAt: timeOf(projection.last?.at),
      now: clock.now(),
      isReading: sight === undefined,
      trouble: this.trouble,
    };
  }

  #remaining(sight: TeamSnapshot): number | null {
    const { completions, firstAt } = this.#watch.projection;
    return remainingOf(sight, { completions, startedAt: timeOf(firstAt) ?? sight.at }) ?? null;
  }
}

type BoardStand = ReturnType<typeof standOf>;

/** What the head of the page says of a board. */
const standOf = (board: Board) => ({
  team: board.team?.name,
  isPaused: board.phase === 'paused',
  epoch: board.lead.epoch,
  counts: count(board),
});

const isEnded = ({ to }: ClaimSpan): boolean => to !== undefined;
const isSettled = (span: ClaimSpan): boolean => isEnded(span) && span.end !== 'lost';

const timeOf = (at: string | undefined): number | null => (at === undefined ? null : Date.parse(at));

interface Entry {
  readonly text: string;
  readonly number: number;
}

/**
 * Rows that change, each with the number of the event that last changed it. A client missed the rows with a higher
 * number than its last event.
 */
class VersionedRows {
  readonly #entries = new Map<string, Entry>();

  /** @returns whether the row changed */
  put(key: string, row: unknown, number: number): boolean {
    const text = asJson(row);
    if (this.#entries.get(key)?.text === text) return false;
    this.#entries.set(key, { text, number });
    return true;
  }

  /** The JSON of a row, if it changed after an event. */
  one(key: string, after: number): string | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.number > after ? entry.text : undefined;
  }

  /** A JSON array of the rows that changed after an event, in the order of their first appearance. */
  list(after: number): string {
    const texts: string[] = [];
    for (const { text, number } of this.#entries.values()) if (number > after) texts.push(text);
    return `[${texts.join(',')}]`;
  }
}
