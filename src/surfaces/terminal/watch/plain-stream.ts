/** Prints events as plain lines, for pipes and screen readers. A problem is printed once, when it first appears. */
import { safeLine, timeOfDay, type TeamProblem, type ShownEvent } from '../../../app.ts';
import { isEcho, plainLine } from '../plain-line.ts';

/** How many events are kept while another view is shown; older ones are dropped. */
const KEPT = 5_000;
/** How many past events are shown at the start. */
const PAST = 20;

export class PlainStream {
  readonly #write: (text: string) => void;
  #waiting: string[] = [];
  #dropped = 0;
  #known: ReadonlySet<string> = new Set();
  #isFirst = true;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(events: readonly ShownEvent[]): void {
    // The first batch holds the past events.
    const told = events.filter((event) => !isEcho(event));
    const wanted = this.#isFirst ? told.slice(-PAST) : told;
    this.#isFirst = false;
    this.#push(wanted.map(plainLine));
  }

  problems(problems: readonly TeamProblem[]): void {
    const now = new Map(
      problems.map((problem) => [`${problem.kind} ${problem.subject} ${problem.since ?? ''}`, problem]),
    );
    const fresh = [...now].filter(([key]) => !this.#known.has(key)).map(([, problem]) => problem);
    this.#known = new Set(now.keys());
    this.#push(
      fresh.map(({ subject, text, since }) => `${timeOfDay(since ?? '')} PROBLEM ${subject} ${safeLine(text)}`),
    );
  }

  /** Writes the waiting lines. */
  flush(): void {
    const told = this.#dropped === 0 ? [] : [`… ${this.#dropped} events were skipped; \`teams log\` shows all events`];
    const lines = [...told, ...this.#waiting];
    this.#waiting = [];
    this.#dropped = 0;
    if (lines.length > 0) this.#write(lines.map((line) => `${line}\n`).join(''));
  }

  #push(lines: readonly string[]): void {
    const all = [...this.#waiting, ...lines];
    this.#dropped += Math.max(0, all.length - KEPT);
    this.#waiting = all.slice(-KEPT);
  }
}
