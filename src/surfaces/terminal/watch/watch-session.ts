/** Runs the dashboard: events and keys in, drawings out, at a pace that keeps the CPU free for others. */
import process from 'node:process';
import { count, realClock, safeLine, type ShownEvent, type TeamSnapshot } from '../../../app.ts';
import { Dashboard } from './dashboard.tsx';
import { draw, type Drawing } from './draw.ts';
import { NO_SPACE } from './output-pane.ts';
import { Feed, sourceOf } from './feed.ts';
import { progressOf, rowsIn, seenInRun, type DashboardModel, type DashboardSize } from './dashboard-model.ts';
import type { DashboardOptions, WatchedTeam } from './watch-team.ts';
import { LEAST_MS, pauseAfter } from './redraw-pace.ts';
import type { DashboardRows, Row } from './dashboard-rows.ts';
import { FIRST, type Key, type Order, type State } from './dashboard-state.ts';
import { OrderDesk } from './order-desk.ts';
import { shareOn } from './past-bar.ts';
import { press, type Shown } from './press.ts';
import { Notifier } from './notifier.ts';
import { PlainStream } from './plain-stream.ts';

/** Redraws this often without events, because elapsed times change. */
const TICK_MS = 1_000;

export class WatchSession {
  readonly #watch: WatchedTeam;
  readonly #options: DashboardOptions;
  readonly #out: NodeJS.WriteStream;
  readonly #stream: PlainStream;
  readonly #notifier: Notifier;
  readonly #desk: OrderDesk;
  readonly #quit = new AbortController();
  readonly #requestDraw = (): void => this.#drawSoon();
  readonly #continued = (): void => this.#open();
  #snapshot: TeamSnapshot;
  #state: State = FIRST;
  #dashboard: Dashboard | undefined;
  #drawing: Drawing | undefined;
  #feed: Feed | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pause = 0;
  #drawnAt = -Infinity;
  /** The plain stream is shown, and this object reads the keyboard. */
  #isPlain = false;
  /** Something was retried after the lead had ended, and before it asked. */
  #isRetried = false;

  /** @throws StoreError when the team cannot be read */
  constructor(watch: WatchedTeam, options: DashboardOptions) {
    this.#watch = watch;
    this.#options = options;
    this.#out = options.out ?? process.stdout;
    this.#snapshot = this.#sight();
    this.#stream = new PlainStream(options.write);
    this.#notifier = new Notifier(options.notify, process.env);
    this.#desk = new OrderDesk(options.actions, {
      onNotice: (change) => {
        this.#state = { ...this.#state, notice: change(this.#state.notice) };
        this.#drawSoon();
      },
      onRetried: () => {
        this.#isRetried = true;
        this.#end();
      },
    });
  }

  /** Runs until the person quits, or the run in the foreground is over; a team that has ended stays visible. */
  async run(): Promise<void> {
    const { run, signal: given } = this.#options;
    const signal = AbortSignal.any([given, this.#quit.signal]);
    // A short run may be over before its view is loaded.
    if (signal.aborted) return;
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const tick = setInterval(this.#requestDraw, TICK_MS);
    this.#out.on('resize', this.#requestDraw);
    if (run) run.onChange = this.#requestDraw;
    try {
      this.#open();
      await this.#follow(signal);
      await ended;
    } finally {
      clearInterval(tick);
      clearTimeout(this.#timer);
      this.#out.off('resize', this.#requestDraw);
      process.off('SIGCONT', this.#continued);
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
    process.off('SIGCONT', this.#continued);
    // A pause of the input while ink waits for it would end its reading for good.
    if (this.#isPlain) this.#listen(false);
    this.#dashboard = new Dashboard(this.#out, (keys) => keys.forEach((key) => this.#pressed(key)));
    this.#draw();
  }

  #close(): void {
    this.#dashboard?.close();
    this.#dashboard = undefined;
  }

  #drawSoon(): void {
    if (this.#timer === undefined) this.#drawAfter(this.#pause);
  }

  /** @param pause milliseconds since the last drawing */
  #drawAfter(pause: number): void {
    if (!this.#dashboard) return;
    clearTimeout(this.#timer);
    const wait = Math.max(0, this.#drawnAt + pause - realClock.monotonic());
    this.#timer = setTimeout(() => this.#draw(), wait);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#dashboard) return;
    const began = realClock.monotonic();
    this.#look();
    const size = sizeOf(this.#out);
    const model = this.#model();
    this.#drawing = draw(model, size);
    this.#dashboard.setMouse(this.#state.hasMouse);
    this.#dashboard.setTitle(titleOf(model));
    const notification = this.#notifier.look(model.team, model.snapshot);
    if (notification !== '') this.#out.write(notification);
    this.#dashboard.draw(this.#drawing, size);
    this.#drawnAt = realClock.monotonic();
    this.#pause = pauseAfter(this.#drawnAt - began);
    this.#end();
  }

  #sight(): TeamSnapshot {
    const snapshot = this.#watch.look();
    return this.#options.run === undefined ? snapshot : seenInRun(snapshot);
  }

  #look(): void {
    try {
      this.#snapshot = this.#sight();
    } catch {
      // The team was archived in the meantime; the last snapshot stays.
      this.#state = { ...this.#state, notice: 'The team can no longer be read; this is its last known state.' };
    }
  }

  #rows(): { readonly shown: DashboardRows; readonly rows: readonly Row[] } {
    return rowsIn(this.#watch.projection, this.#snapshot, this.#state.filter);
  }

  #model(): DashboardModel {
    const { projection, store } = this.#watch;
    const { shown, rows } = this.#rows();
    this.#feedFor(rows);
    return {
      team: store.paths.name,
      ...progressOf(projection, this.#snapshot),
      shown,
      rows,
      state: this.#state,
      lines: this.#feed?.lines ?? [],
      isAwaited: this.#feed?.isRead === false,
      ending: this.#endingText(rows),
      past: this.#options.past?.shown,
    };
  }

  #pressed(key: Key): void {
    const { rows } = this.#rows();
    const drawing = this.#drawing;
    const shown: Shown = {
      rows,
      lines: this.#feed?.lines ?? [],
      space: drawing?.space ?? NO_SPACE,
      rowAt: (x, y) =>
        drawing !== undefined && x < drawing.leftWidth
          ? drawing.hits[y]?.findLast(({ from }) => from <= x)?.key
          : undefined,
      shareAt: this.#options.past && ((x, y) => (drawing?.bar?.y === y ? shareOn(drawing.bar, x) : undefined)),
    };
    this.#options.run?.ending?.stay();
    const { state, order } = press(this.#state, key, shown);
    this.#state = state;
    if (order) this.#execute(order);
    this.#drawAfter(LEAST_MS);
  }

  /** Follows what is shown; the output of another row after a moment, because a person moves through the list. */
  #feedFor(rows: readonly Row[]): void {
    const source = sourceOf(this.#state, rows, this.#options);
    if (this.#feed?.source.kind === source?.kind && this.#feed?.source.name === source?.name) return;
    this.#feed?.close();
    this.#feed = source && new Feed(this.#watch.store, source, this.#requestDraw);
  }

  #execute(order: Order): void {
    if (order.do === 'quit') return this.#stop();
    if (order.do === 'plain') return this.#toPlain();
    if (order.do === 'suspend') return this.#suspend();
    if (order.do === 'copy') return this.#copy();
    if (order.do === 'past') return this.#options.past?.move(order.move);
    this.#desk.give(order);
  }

  #stop(): void {
    const { run } = this.#options;
    if (run === undefined) return this.#quit.abort();
    if (run.ending !== undefined) return run.ending.choose('end');
    run.stop();
  }

  #copy(): void {
    const lines = this.#feed?.lines ?? [];
    this.#dashboard?.copy(lines.map(safeLine).join('\n'));
    const source = this.#feed?.source;
    const elsewhere =
      source?.kind === 'task' || source?.kind === 'member'
        ? `; where the terminal refuses it: teams logs ${this.#watch.store.paths.name} ${source.kind === 'task' ? '--task ' : ''}${source.name}`
        : '';
    this.#state = { ...this.#state, notice: `copied ${lines.length} lines${elsewhere}` };
  }

  /** Ctrl-Z: the shell gets the terminal, `fg` brings the dashboard back. */
  #suspend(): void {
    this.#close();
    process.once('SIGCONT', this.#continued);
    process.kill(this.#options.run === undefined ? process.pid : 0, 'SIGTSTP');
  }

  #endingText(rows: readonly Row[]): string | undefined {
    const { run } = this.#options;
    if (run === undefined) return undefined;
    const { ending, remark } = run;
    if (ending === undefined) return remark === '' ? undefined : safeLine(remark);
    const hasFailed = rows.some((row) => row.kind === 'problem' && row.problem.task !== undefined);
    const left = ending.closesAt === undefined ? '' : ` (in ${secondsTo(ending.closesAt)} s; any key stays)`;
    return `The run has ended.${hasFailed ? '  r retry  R retry all' : ''}  q report${left}`;
  }

  #end(): void {
    const { ending } = this.#options.run ?? {};
    if (ending !== undefined && this.#isRetried) {
      this.#isRetried = false;
      return ending.choose('again');
    }
    if (ending?.closesAt !== undefined && realClock.monotonic() >= ending.closesAt) ending.choose('end');
  }

  /** Switches to the normal screen and prints the events not printed there yet; any key switches back. */
  #toPlain(): void {
    this.#close();
    this.#stream.flush();
    this.#listen(true);
  }

  readonly #keyInPlain = (bytes: Buffer): void => {
    const text = bytes.toString();
    if (text.includes('\u0003') || text.includes('q')) this.#stop();
    else this.#open();
  };

  /** While ink draws, it owns the keyboard. */
  #listen(isOurs: boolean): void {
    const { stdin } = process;
    this.#isPlain = isOurs;
    stdin.off('data', this.#keyInPlain);
    stdin.setRawMode(isOurs);
    if (isOurs) stdin.on('data', this.#keyInPlain).resume();
    else stdin.pause();
  }
}

const secondsTo = (at: number): number => Math.max(0, Math.ceil((at - realClock.monotonic()) / 1_000));

/** `login: 3/20 done, 1 failed`. */
function titleOf({ team, past, snapshot: { board, outcome } }: DashboardModel): string {
  const { completed, total, failed } = count(board);
  return `${team}: ${past ? 'past' : outcome}, ${completed}/${total} done${failed === 0 ? '' : `, ${failed} failed`}`;
}

/** The size of the terminal; 80 × 24 if it is unknown. */
const sizeOf = ({ columns, rows }: NodeJS.WriteStream): DashboardSize => ({
  columns: columns > 0 ? columns : 80,
  rows: rows > 0 ? rows : 24,
});
