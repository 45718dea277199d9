/** Keeps the last lines of a member's output or mail, and follows it until it is closed. */
import {
  followMail,
  followOutput,
  knownMember,
  safeLine,
  timeOfDay,
  type Message,
  type TeamReader,
} from '../../../app.ts';
import type { Pane } from './dashboard-state.ts';

/** How many lines are kept. */
const KEPT = 2_000;

export class Feed {
  readonly pane: Pane;
  readonly #onNews: () => void;
  readonly #stop = new AbortController();
  #lines: string[] = [];

  constructor(store: TeamReader, pane: Pane & { readonly member: string }, onNews: () => void) {
    this.pane = pane;
    this.#onNews = onNews;
    void this.#follow(store, pane).catch((error: unknown) => this.#add([`cannot be read: ${String(error)}`]));
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  close(): void {
    this.#stop.abort();
  }

  async #follow(store: TeamReader, { kind: is, member }: Pane & { readonly member: string }): Promise<void> {
    const name = knownMember(store, member);
    const { signal } = this.#stop;
    if (is === 'inbox') for await (const message of followMail(store, name, signal)) this.#add([mailLine(message)]);
    const decoder = new TextDecoder();
    let rest = '';
    if (is === 'log')
      for await (const bytes of followOutput(store, name, signal)) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
        rest = (lines.pop() ?? '').slice(-KEPT);
        this.#add(lines);
      }
  }

  #add(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lines = [...this.#lines, ...lines].slice(-KEPT);
    this.#onNews();
  }
}

const mailLine = ({ timestamp, sender, kind, content }: Message): string =>
  `${timeOfDay(timestamp * 1_000)} ${sender}${kind === undefined ? '' : ` ${kind}`}: ${safeLine(content)}`;
