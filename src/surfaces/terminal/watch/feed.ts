/** Keeps the last lines of what is shown, an output, an inbox or a text, and follows it until it is closed. */
import {
  followMail,
  followOutput,
  followTaskLines,
  knownMember,
  safeLine,
  timeOfDay,
  type Message,
  type TeamReader,
} from '../../../app.ts';
import type { Row } from './dashboard-rows.ts';
import type { State } from './dashboard-state.ts';
import { subjectIn } from './press.ts';
import type { DashboardOptions } from './watch-team.ts';

/** What a feed shows. */
export type FeedSource =
  | { readonly kind: 'member' | 'inbox'; readonly name: string }
  | { readonly kind: 'task'; readonly name: string }
  /** Lines as they were at a moment of the past, which the name tells. */
  | { readonly kind: 'past'; readonly name: string; readonly lines: () => readonly string[] }
  /** A text that is made once. */
  | { readonly kind: 'diff' | 'why'; readonly name: string; readonly text: () => Promise<string> };

/** What is shown beside the list, or on the whole screen; undefined for nothing. */
export function sourceOf(
  state: State,
  rows: readonly Row[],
  { actions, past }: Pick<DashboardOptions, 'actions' | 'past'>,
): FeedSource | undefined {
  const { pane } = state;
  const subject = subjectIn(state, rows);
  if (past !== undefined && subject !== undefined) {
    const { number, now } = past.shown;
    const lines = (): string[] =>
      pane.kind === 'inbox' ? past.mailOf(pane.member).map(mailLine) : past.linesOf(subject);
    return { kind: 'past', name: `${pane.kind} ${JSON.stringify(subject)} ${number} ${now}`, lines };
  }
  if (pane.kind === 'inbox') return { kind: 'inbox', name: pane.member };
  if (pane.kind === 'diff' || pane.kind === 'why') {
    const { task } = pane;
    const text = () => (pane.kind === 'diff' ? actions.diff(task) : actions.why(task));
    return { kind: pane.kind, name: task ?? '', text };
  }
  if (subject === undefined) return undefined;
  return subject.kind === 'task' ? { kind: 'task', name: subject.task } : { kind: 'member', name: subject.member };
}

/** How many lines are kept. */
const KEPT = 5_000;

export class Feed {
  readonly source: FeedSource;
  readonly #onNews: () => void;
  readonly #stop = new AbortController();
  #lines: string[] = [];
  #isRead = false;
  /** The line that has no end yet. */
  #unfinished = '';

  constructor(store: TeamReader, source: FeedSource, onNews: () => void) {
    this.source = source;
    this.#onNews = onNews;
    void this.#follow(store, source).catch((error: unknown) =>
      this.#add([error instanceof Error ? error.message : String(error)]),
    );
    // What files have is read by now; a text is made, which takes a while.
    if (source.kind !== 'diff' && source.kind !== 'why') setImmediate(() => this.#read());
  }

  /** Whether the lines so far are all that there is. */
  get isRead(): boolean {
    return this.#isRead;
  }

  get lines(): readonly string[] {
    return this.#unfinished === '' ? this.#lines : [...this.#lines, this.#unfinished];
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(store: TeamReader, source: FeedSource): Promise<void> {
    const { signal } = this.#stop;
    switch (source.kind) {
      case 'task':
        for await (const { lines, unfinished } of followTaskLines(store, source.name, signal))
          this.#add(lines, unfinished);
        return;
      case 'inbox':
        for await (const message of followMail(store, knownMember(store, source.name), signal))
          this.#add([mailLine(message)]);
        return;
      case 'member':
        return this.#output(store, source.name, signal);
      case 'past':
        this.#add(source.lines());
        return;
      case 'diff':
      case 'why': {
        const text = await source.text();
        if (!signal.aborted) this.#add(text.trimEnd().split('\n'));
        return;
      }
      default:
        source satisfies never;
    }
  }

  async #output(store: TeamReader, member: string, signal: AbortSignal): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for await (const bytes of followOutput(store, knownMember(store, member), signal)) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = (lines.pop() ?? '').slice(-KEPT);
      this.#add(lines, rest);
    }
    if (rest !== '') this.#add([rest]);
  }

  #add(lines: readonly string[], unfinished = ''): void {
    if (this.#stop.signal.aborted || (lines.length === 0 && unfinished === this.#unfinished)) return;
    this.#unfinished = unfinished;
    this.#lines = [...this.#lines, ...lines].slice(-KEPT);
    this.#read();
  }

  #read(): void {
    this.#isRead = true;
    if (!this.#stop.signal.aborted) this.#onNews();
  }
}

const mailLine = ({ timestamp, sender, kind, content }: Message): string =>
  `${timeOfDay(timestamp * 1_000)} ${sender}${kind === undefined ? '' : ` ${kind}`}: ${safeLine(content)}`;
