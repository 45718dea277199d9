/** What the page shows of one team, as rows that know since which event they are as they are. Reads, and tells nobody. */
import {
  count,
  criticalPath,
  workedMs,
  type TeamSnapshot,
  type ClaimSpan,
  type Spending,
  type Task,
  type TeamWatch,
} from '../../app.ts';
import type { CooperativeWork } from './cooperative.ts';
import { asJson } from './json.ts';
import { VersionedRows } from './versioned-rows.ts';
import { memberRows, sketchedMembers, spanRow, taskRow } from './wire-rows.ts';
import type { EventRow, Head } from './wire-types.ts';

/** What a task's row was made of, when it was final. */
interface Made {
  readonly task: Task;
  readonly spending: Spending | undefined;
}

/** Rows that are made before others may have their turn. */
const PORTION = 500;

const PARTS = ['members', 'starts', 'problems', 'edges', 'path'] as const;

export class LiveModel {
  /** Why it stands still; null as long as it does not. */
  trouble: string | null = null;
  readonly #place: { readonly id: string; readonly isArchived: boolean };
  readonly #watch: TeamWatch;
  readonly #tasks = new VersionedRows();
  readonly #spans = new VersionedRows();
  readonly #parts = new VersionedRows();
  readonly #final = new Map<string, Made>();
  #snapshot: TeamSnapshot | undefined;
  #number = 0;

  constructor(place: { readonly id: string; readonly isArchived: boolean }, watch: TeamWatch) {
    this.#place = place;
    this.#watch = watch;
  }

  /** The last event that it knows of. */
  get number(): number {
    return this.#number;
  }

  get isSketch(): boolean {
    return this.#snapshot === undefined;
  }

  /** What the board alone tells: the events may be many. */
  *sketch(): CooperativeWork<void> {
    const board = this.#watch.store.board.fold();
    yield* this.#putTasks(board, 1);
    this.#parts.put('members', sketchedMembers(board), 1);
  }

  /** @returns whether anything changed @throws StoreError when the team was put away meanwhile */
  *look(): CooperativeWork<boolean> {
    const snapshot = this.#watch.look();
    const { projection } = this.#watch;
    const number = projection.last?.number ?? 0;
    // The board may be ahead of the events that were heard: what changed is younger than what was told before.
    const since = this.#number + 1;
    const changes = [
      this.#snapshot === undefined || number > this.#number,
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

  /** An `Update` as JSON, put together from texts that are there already. */
  update(after: number, events: readonly EventRow[]): string {
    const parts = PARTS.flatMap((part) => {
      const text = this.#parts.one(part, after);
      return text === undefined ? [] : [`${JSON.stringify(part)}:${text}`];
    });
    const fields = [
      `"number":${this.#number}`,
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
      if (task.status !== 'pending' && task.status !== 'in_progress')
        this.#final.set(task.id, { task, spending: spent });
    }
    return isChanged;
  }

  *#putSpans({ board, at }: TeamSnapshot, since: number): CooperativeWork<boolean> {
    const spans = this.#watch.projection.spans.all(board.tasks);
    let [isChanged, count] = [false, 0];
    for (const span of spans) {
      const key = `${span.task}.${span.claim}`;
      if (isEnded(span) && this.#spans.has(`${key}!`)) continue;
      const row = spanRow(span);
      // Rows of one claim replace each other on the page; that it ended is said once.
      isChanged = this.#spans.put(isEnded(span) ? `${key}!` : key, row, since) || isChanged;
      if ((count += 1) % PORTION === 0) yield;
    }
    if (isChanged) this.#parts.put('path', { ...criticalPath(board.tasks, workedMs(spans, at)), at }, since);
    return isChanged;
  }

  #head(): Head {
    const { id, isArchived } = this.#place;
    const { projection, store } = this.#watch;
    const sight = this.#snapshot;
    const board = sight?.board ?? store.board.fold();
    const { total } = projection.spending;
    return {
      id,
      isArchived,
      team: board.team?.name ?? id,
      ...(sight?.stage ?? { status: board.phase === 'closed' ? 'shutdown' : 'active', phase: '' }),
      lead: sight
        ? { alive: sight.lead.alive, pid: sight.lead.pid, epoch: sight.lead.epoch, unread: sight.unread }
        : { alive: false, pid: null, epoch: board.lead.epoch, unread: 0 },
      counts: count(board),
      spent: { tokens: total.tokens, usd: total.usd },
      unpriced: total.unpriced,
      firstAt: timeOf(projection.firstAt),
      lastAt: timeOf(projection.last?.at),
      now: store.clock.now(),
      isReading: sight === undefined,
      trouble: this.trouble,
    };
  }
}

const isEnded = ({ to }: ClaimSpan): boolean => to !== undefined;

const timeOf = (at: string | undefined): number | null => (at === undefined ? null : Date.parse(at));
