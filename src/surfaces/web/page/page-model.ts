/** The page's data of one team: updates are put in, views read it. */
import type {
  EdgeRow,
  EventRow,
  Head,
  MemberRow,
  PathRow,
  TeamProblem,
  SpanRow,
  StartRow,
  TaskRow,
  Update,
} from '../wire-types.ts';

/** Events that are kept for the activity view. */
const KEPT = 1_000;

let updates = 0;

export class PageModel {
  readonly tasks = new Map<string, TaskRow>();
  readonly spans = new Map<string, SpanRow>();
  /** The span of each task's last claim. */
  readonly #lastSpans = new Map<string, SpanRow>();
  head: Head | undefined;
  members: readonly MemberRow[] = [];
  starts: readonly StartRow[] = [];
  problems: readonly TeamProblem[] = [];
  edges: readonly EdgeRow[] = [];
  path: PathRow = { tasks: [], ms: 0, at: 0 };
  events: readonly EventRow[] = [];
  /** The moment that it shows, if that is not now. Milliseconds since 1970. */
  past: number | undefined;
  /** Grows with each update of any model, so that no view takes one model for another. */
  version = 0;
  /** Which team it is: see `Update`. */
  of: string | undefined;
  #number = 0;

  /** The team has ended. */
  get isOver(): boolean {
    const outcome = this.head?.outcome ?? 'running';
    return this.head?.isArchived === true || !['running', 'waiting', 'interrupted'].includes(outcome);
  }

  /** How long a task in progress is held: until now, or until its member's process ended. Milliseconds. */
  heldMs({ id, since }: TaskRow, now: number): number {
    return Math.max(0, (this.#lastSpans.get(id)?.to ?? now) - since);
  }

  put(update: Update): void {
    const { of, head, tasks, spans, events } = update;
    if (this.of !== undefined && this.of !== of) this.#clear();
    this.of = of;
    this.head = head;
    for (const row of tasks) this.tasks.set(row.id, row);
    for (const row of spans) {
      this.spans.set(`${row.task}.${row.claim}`, row);
      if (row.claim >= (this.#lastSpans.get(row.task)?.claim ?? 0)) this.#lastSpans.set(row.task, row);
    }
    // A server that was asked from the beginning sends known events again.
    const news = events.filter(({ number }) => number > this.#number);
    if (news.length > 0) this.events = [...this.events, ...news].slice(-KEPT);
    this.#number = Math.max(this.#number, update.number);
    this.members = update.members ?? this.members;
    this.starts = update.starts ?? this.starts;
    this.problems = update.problems ?? this.problems;
    this.edges = update.edges ?? this.edges;
    this.path = update.path ?? this.path;
    updates += 1;
    this.version = updates;
  }

  /** Another team was made in the place of the one that was shown. */
  #clear(): void {
    this.tasks.clear();
    this.spans.clear();
    this.#lastSpans.clear();
    this.events = [];
    this.#number = 0;
    this.members = [];
    this.starts = [];
    this.problems = [];
    this.edges = [];
    this.path = { tasks: [], ms: 0, at: 0 };
  }
}
