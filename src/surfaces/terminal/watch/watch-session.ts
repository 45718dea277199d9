/** Runs the dashboard: events and keys in, drawings out, at a pace that keeps the CPU free for others. */
import process from 'node:process';
import { COLORS, columnsOf, realClock, type ShownEvent, type TeamSnapshot, type TeamWatch } from '../../../app.ts';
import { Dashboard } from './dashboard.tsx';
import { draw } from './draw.ts';
import { Feed } from './feed.ts';
import type { DashboardModel, DashboardSize } from './dashboard-model.ts';
import type { DashboardOptions } from './watch-team.ts';
import { pauseAfter } from './redraw-pace.ts';
import { rowsOf, dashboardRowsOf, type DashboardRows } from './dashboard-rows.ts';
import { FIRST, press, type Key, type Order, type State } from './dashboard-state.ts';
import { PlainStream } from './plain-stream.ts';

/** Redraws this often without events, because elapsed times change. */
const TICK_MS = 1_000;

export class WatchSession {
  readonly #watch: TeamWatch;
  readonly #options: DashboardOptions;
  readonly #stream: PlainStream;
  readonly #quit = new AbortController();
  readonly #requestDraw = (): void => this.#drawSoon();
  #snapshot: TeamSnapshot;
  #state: State = FIRST;
  #dashboard: Dashboard | undefined;
  #feed: Feed | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = 0;
  #drawnAt = -Infinity;

  /** @throws StoreError when the team cannot be read */
  constructor(watch: TeamWatch, options: DashboardOptions) {
    this.#watch = watch;
    this.#options = options;
    this.#snapshot = watch.look();
    this.#stream = new PlainStream(options.write);
  }

  /** Runs until the person quits; a team that has ended stays visible. */
  async run(): Promise<void> {
    const signal = AbortSignal.any([this.#options.signal, this.#quit.signal]);
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const tick = setInterval(this.#requestDraw, TICK_MS);
    process.stdout.on('resize', this.#requestDraw);
    try {
      this.#open();
      await this.#follow(signal);
      await ended;
    } finally {
      clearInterval(tick);
      clearTimeout(this.#timer);
      process.stdout.off('resize', this.#requestDraw);
      this.#feed?.close();
      this.#close();
      this.#listen(false);
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    for await (const events of this.#watch.follow(signal)) this.#onEvents(events);
  }

  #onEvents(events: readonly ShownEvent[]): void {
    this.#stream.add(events);
    if (this.#dashboard) this.#drawSoon();
    else this.#stream.flush();
  }

  #open(): void {
    this.#listen(false);
    this.#dashboard = new Dashboard(process.stdout, (keys) => keys.forEach((key) => this.#pressed(key)));
    this.#draw();
  }

  #close(): void {
    this.#dashboard?.close();
    this.#dashboard = undefined;
  }

  #drawSoon(): void {
    if (!this.#dashboard || this.#timer) return;
    const wait = Math.max(0, this.#drawnAt + this.#pause - realClock.monotonic());
    this.#timer = setTimeout(() => this.#draw(), wait);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#dashboard) return;
    const began = realClock.monotonic();
    this.#look();
    const size = sizeOf(process.stdout);
    this.#dashboard.draw(draw(this.#model(), size), size);
    this.#drawnAt = realClock.monotonic();
    this.#pause = pauseAfter(this.#drawnAt - began);
  }

  #look(): void {
    try {
      this.#snapshot = this.#watch.look();
    } catch {
      // The team was archived in the meantime; the last snapshot stays.
      this.#state = { ...this.#state, notice: 'The team can no longer be read; this is its last known state.' };
    }
  }

  #shown(): DashboardRows {
    const { recent: messages } = this.#watch.projection.flow;
    return dashboardRowsOf(this.#snapshot, { columns: columnsOf(this.#snapshot.board), messages }, this.#state.filter);
  }

  #model(): DashboardModel {
    const { projection, store } = this.#watch;
    const { words, spending, firstAt } = projection;
    const known = new Set<number>(COLORS);
    const colors = new Map([...this.#snapshot.colors].filter(([, color]) => known.has(color)));
    return {
      team: store.paths.name,
      snapshot: { ...this.#snapshot, colors },
      shown: this.#shown(),
      words,
      spending: spending.total,
      startedAt: firstAt === undefined ? this.#snapshot.at : Date.parse(firstAt),
      state: this.#state,
      lines: this.#feed?.lines ?? [],
    };
  }

  #pressed(key: Key): void {
    const { state, order } = press(this.#state, key, rowsOf(this.#shown()));
    this.#state = state;
    this.#feedFor(state);
    if (order) this.#execute(order);
    this.#drawSoon();
  }

  #feedFor({ pane }: State): void {
    if (this.#feed?.pane === pane) return;
    this.#feed?.close();
    this.#feed =
      pane.kind === 'log' || pane.kind === 'inbox' ? new Feed(this.#watch.store, pane, this.#requestDraw) : undefined;
  }

  #execute(order: Order): void {
    const { actions } = this.#options;
    switch (order.do) {
      case 'quit':
        this.#quit.abort();
        return;
      case 'plain':
        return this.#toPlain();
      case 'send':
        return this.#try(`sent to ${order.to}`, actions.send(order.to, order.text));
      case 'answer':
        return this.#try('answered', actions.answer(order.id, order.text));
      case 'decide':
        return this.#try(order.approve ? 'approved' : 'refused', actions.decide(order.task, order));
      case 'revise':
        return this.#try('revision requested', actions.revise(order.task, order.text));
      default:
        order satisfies never;
    }
  }

  /** Shows the result of an order in the footer. */
  #try(done: string, work: Promise<unknown>): void {
    const tell = (notice: string): void => {
      this.#state = { ...this.#state, notice };
      this.#drawSoon();
    };
    work.then(
      () => tell(done),
      (error: unknown) => tell(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Switches to the normal screen and prints the events not printed there yet; any key switches back. */
  #toPlain(): void {
    this.#close();
    this.#stream.flush();
    this.#listen(true);
  }

  readonly #keyInPlain = (bytes: Buffer): void => {
    const text = bytes.toString();
    if (text.includes('\u0003') || text.includes('q')) this.#quit.abort();
    else this.#open();
  };

  /** While ink draws, it owns the keyboard. */
  #listen(isOurs: boolean): void {
    const { stdin } = process;
    stdin.off('data', this.#keyInPlain);
    stdin.setRawMode(isOurs);
    if (isOurs) stdin.on('data', this.#keyInPlain).resume();
    else stdin.pause();
  }
}

/** The size of the terminal; 80 × 24 if it is unknown. */
const sizeOf = ({ columns, rows }: NodeJS.WriteStream): DashboardSize => ({
  columns: columns > 0 ? columns : 80,
  rows: rows > 0 ? rows : 24,
});
