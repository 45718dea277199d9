/**
 * One team for the page: it follows the events, reads the team after each batch of events, and each second while a
 * client is connected. It gives any number of clients what changed since the event that they know.
 */
import {
  changesSince,
  knownMember,
  shellWords,
  SubjectLines,
  isTeamError,
  MailIndex,
  resolveTask,
  resultOf,
  shownPage,
  taskHistory,
  TeamWatch,
  why,
  whyText,
} from '../../app.ts';
import type {
  MailWanted,
  ShownEvent,
  ShownPage,
  TeamPaths,
  WantedPage,
  TeamWatchOptions,
  WhyLimits,
} from '../../app.ts';
import { runAtOnce, runCooperatively } from './cooperative.ts';
import { LiveModel } from './live-model.ts';
import { PastTeam, type PastWanted } from './past-team.ts';
import { eventRow } from './wire-rows.ts';
import { searchTeam } from './team-search.ts';
import type { ChangesPage, EventRow, FoundInTeam, MailPage, OutputPage, TaskDetail, WhyDetail } from './wire-types.ts';

export interface LiveOptions {
  readonly watch: TeamWatchOptions;
  readonly why: WhyLimits;
}

interface LivePlace {
  readonly id: string;
  readonly paths: TeamPaths;
  readonly isArchived: boolean;
}

/** Least time between two reads. */
const LOOK_MS = 250;
/** Time between reads without events: a member may have become stalled, or mail may have been read. */
const RELOOK_MS = 1_000;
/** How many events are kept for clients. */
const KEPT_EVENTS = 1_000;
/** How many characters of a result are shown. */
const SHOWN_RESULT = 64 * 1024;

/** Outputs that are followed at once. */
const KEPT_OUTPUTS = 16;
const SHOWN_CHANGES = 512 * 1024;
const SHOWN_FILES = 1_000;

export class LiveTeam {
  readonly #place: LivePlace;
  readonly #options: LiveOptions;
  readonly #watch: TeamWatch;
  readonly #model: LiveModel;
  readonly #mailIndex: MailIndex;
  readonly #past: PastTeam;
  readonly #end = new AbortController();
  #following: Promise<void> | undefined;
  readonly #waiters = new Set<() => void>();
  #events: EventRow[] = [];
  /** The number of the last event that clients can be given. */
  #read = 0;
  readonly #outputs = new Map<string, SubjectLines>();
  #watchers = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The timer is that of a look at new events. */
  #isSoon = false;
  #version = 0;
  /** It is not read any more; its clients still wait for one that is made in its place. */
  #isStopped = false;

  private constructor(place: LivePlace, options: LiveOptions) {
    this.#place = place;
    this.#options = options;
    this.#watch = new TeamWatch(place.paths, options.watch);
    this.#model = new LiveModel({ ...place, of: this.#watch.identity }, this.#watch);
    this.#mailIndex = new MailIndex(this.#watch.store);
    this.#past = new PastTeam(place, options.watch.prices);
  }

  /**
   * Resolves when the board can be shown; data from the events follows later.
   * @throws UsageError `UNKNOWN_TEAM`
   */
  static async open(place: LivePlace, options: LiveOptions): Promise<LiveTeam> {
    const live = new LiveTeam(place, options);
    try {
      await live.#watch.sketch((board) => runCooperatively(live.#model.sketch(board)));
    } catch (error) {
      live.#watch.close();
      throw error;
    }
    live.#following = live.#follow();
    return live;
  }

  /** Which team it is: see `Update`. */
  get identity(): string {
    return this.#watch.identity;
  }

  /** Whether another team was made in its place, which a client wants to see. */
  isReplaced(): boolean {
    return this.#watch.isReplaced();
  }

  /** Counts a connected client, until it is disposed of. */
  watched(): Disposable {
    this.#watchers += 1;
    this.#lookIn(RELOOK_MS);
    return {
      [Symbol.dispose]: () => {
        this.#watchers -= 1;
      },
    };
  }

  /** @param after the last event that the client knows; 0 for a new client */
  update(after: number): { readonly number: number; readonly version: number; readonly text: string } {
    // Rows and events are read at different moments: what both have is told.
    const number = Math.min(this.#model.number, this.#read);
    const known = after > number ? 0 : after;
    const events = this.#events.filter((event) => event.number > known && event.number <= number);
    return { number, version: this.#version, text: this.#model.update(known, events, number) };
  }

  /** @returns false when nothing changed after `version` for `ms` milliseconds, or until `signal` aborted */
  changed(version: number, ms: number, signal: AbortSignal): Promise<boolean> {
    if (this.#version > version || signal.aborted) return Promise.resolve(this.#version > version);
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve(this.#version > version);
      };
      const timer = setTimeout(done, ms);
      this.#waiters.add(done);
      signal.addEventListener('abort', done);
    });
  }

  /** @throws UsageError `UNKNOWN_TASK` */
  task(id: string): TaskDetail {
    const { store } = this.#watch;
    const task = resolveTask(store.board.fold(), id);
    const attempts = Array.from({ length: task.claims }, (_, at) => `team/results/${task.id}.${at + 1}.md`);
    return {
      id: task.id,
      description: task.description || (task.work.prompt ?? shellWords(task.work.run ?? '')),
      history: taskHistory(store, task),
      result: resultOf(store, task)?.slice(0, SHOWN_RESULT) ?? null,
      files: ['board/log.jsonl', `board/${task.id}.json`, ...attempts],
    };
  }

  /**
   * Lines that a task or a member printed, after those that the caller has.
   * @throws UsageError `UNKNOWN_TASK`, `UNKNOWN_MEMBER`
   */
  output(subject: { readonly task: string } | { readonly member: string }, known: number): OutputPage {
    const { store } = this.#watch;
    store.board.fold();
    const key =
      'task' in subject
        ? `task ${resolveTask(store.board.board, subject.task).id}`
        : `member ${knownMember(store, subject.member)}`;
    const shown = this.#outputs.get(key) ?? new SubjectLines(store, outputSubject(store, subject));
    this.#outputs.delete(key);
    this.#outputs.set(key, shown);
    const [oldest] = this.#outputs.keys();
    if (this.#outputs.size > KEPT_OUTPUTS && oldest !== undefined) {
      this.#outputs.get(oldest)?.close();
      this.#outputs.delete(oldest);
    }
    return shown.since(known);
  }

  /**
   * What the run, or a task, changed.
   * @throws UsageError `UNKNOWN_TASK`, and what `teams diff` says
   */
  async changes(task: string | undefined): Promise<ChangesPage> {
    const { store } = this.#watch;
    const about = task === undefined ? undefined : resolveTask(store.board.fold(), task);
    const { files, text } = await changesSince(store, about, this.#end.signal);
    return {
      files: files.slice(0, SHOWN_FILES).map(({ path }) => path),
      text: text.slice(0, SHOWN_CHANGES),
      isCut: text.length > SHOWN_CHANGES,
    };
  }

  async why(subject?: string): Promise<WhyDetail> {
    const { store } = this.#watch;
    return { text: whyText(await why(store, subject, this.#options.why), store.clock.now()) };
  }

  search(words: string): Promise<FoundInTeam> {
    return searchTeam({ store: this.#watch.store, mail: this.#mailIndex, events: this.#events }, words);
  }

  /**
   * The team as it stood at a moment of its past, as JSON.
   * @throws UsageError `USAGE` before the first event
   */
  past(wanted: PastWanted): Promise<string> {
    return this.#past.show(wanted, this.#model.number);
  }

  mail(wanted: MailWanted): Promise<MailPage> {
    return this.#mailIndex.page(wanted);
  }

  /** @throws UsageError `POLICY_DENIED`, `USAGE` */
  file(wanted: WantedPage): ShownPage {
    return shownPage(this.#place.paths, wanted);
  }

  async close(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    await Promise.all([this.#following, this.#past.close()]);
    for (const output of this.#outputs.values()) output.close();
    this.#watch.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#end;
    try {
      for await (const news of this.#watch.follow(signal)) await this.#onEvents(news);
      this.#look();
    } catch (error) {
      this.#onError(error);
    }
  }

  async #onEvents(news: readonly ShownEvent[]): Promise<void> {
    this.#read = news.at(-1)?.number ?? this.#read;
    this.#events = [...this.#events, ...news.slice(-KEPT_EVENTS).map(eventRow)].slice(-KEPT_EVENTS);
    if (!this.#model.isSketch) {
      this.#lookIn(LOOK_MS);
      return;
    }
    // The first read has all past events to process.
    if (await runCooperatively(this.#model.look())) this.#notify();
    if (this.#watchers > 0) this.#lookIn(RELOOK_MS);
  }

  #lookIn(ms: number): void {
    // With only a part of the events read, the figures would be wrong.
    if (this.#model.isSketch) return;
    // Events that go on to come put off no look.
    if (this.#timer !== undefined && (this.#isSoon || ms > LOOK_MS)) return;
    clearTimeout(this.#timer);
    this.#isSoon = ms === LOOK_MS;
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#end.signal.aborted) return;
    if (this.isReplaced()) {
      this.#notify();
      return;
    }
    try {
      if (!this.#isStopped && runAtOnce(this.#model.look())) this.#notify();
    } catch (error) {
      this.#onError(error);
    }
    if (this.#watchers > 0) this.#lookIn(RELOOK_MS);
  }

  /** Stops updating and shows the reason: for example, the team was archived, or a newer program writes it. */
  #onError(error: unknown): void {
    if (!isTeamError(error)) throw error;
    this.#isStopped = true;
    this.#model.trouble = error.message;
    this.#notify();
  }

  #notify(): void {
    this.#version += 1;
    for (const wake of Array.from(this.#waiters)) wake();
  }
}

const outputSubject = (
  store: TeamWatch['store'],
  subject: { readonly task: string } | { readonly member: string },
): ConstructorParameters<typeof SubjectLines>[1] =>
  'task' in subject
    ? { task: resolveTask(store.board.board, subject.task).id }
    : { member: knownMember(store, subject.member) };
