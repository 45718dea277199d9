/**
 * A team followed from outside, for views that stay: each event is read once, mail is counted when it has changed. It
 * only looks, so any number may watch a team of any process, and one that has ended.
 */
import { LEAD, type Name } from '../model/names.ts';
import type { ShownEvent } from '../model/shown-event.ts';
import type { Prices } from '../model/spending.ts';
import { problemsOf, type Problem } from '../policy/view/problems.ts';
import { Story } from '../policy/view/story.ts';
import { waitingMark } from '../store/inbox-view.ts';
import type { TeamPaths } from '../store/paths.ts';
import { openForReading, type TeamReader } from '../store/team-reader.ts';
import { realClock } from './clock.ts';
import { DeedsLog } from './deeds.ts';
import { lookAtTeam, unreadOf, type SeenMemberStatus, type StatusOptions, type TeamLook } from './status.ts';
import { teamNews } from './team-events.ts';

/** A team at one moment. */
export interface Sight extends Pick<TeamLook, 'board' | 'stage' | 'lead'> {
  readonly members: readonly SeenMemberStatus[];
  /** Messages that wait for the lead. */
  readonly unread: number;
  readonly problems: readonly Problem[];
  /** Member → its ANSI colour. */
  readonly colors: ReadonlyMap<string, number>;
  /** Wall time in milliseconds. */
  readonly at: number;
}

export interface WatchOptions extends Pick<StatusOptions, 'stalledAfterMs'> {
  readonly prices?: Prices;
}

export class TeamWatch {
  readonly store: TeamReader;
  /** What the events told so far. */
  readonly story: Story;
  readonly #options: WatchOptions;
  readonly #deeds: DeedsLog;
  readonly #close: () => void;
  /** Member → the mark of its inbox when it was counted, and the count. */
  readonly #unread = new Map<Name, { readonly mark: string; readonly count: number }>();

  /** @throws UsageError `UNKNOWN_TEAM` */
  constructor(paths: TeamPaths, options: WatchOptions = {}) {
    const store = openForReading(paths, { clock: realClock });
    this.store = store;
    this.story = new Story(options.prices);
    this.#options = options;
    this.#deeds = new DeedsLog(store);
    this.#close = () => store.close();
  }

  /** Yields what happened so far at once, then what happens, until `signal` aborts or the team is closed. */
  async *follow(signal: AbortSignal): AsyncGenerator<readonly ShownEvent[]> {
    for await (const news of teamNews(this.store, { follow: true, signal })) {
      for (const event of news) this.story.add(event);
      yield news;
    }
  }

  /** What is true now. @throws StoreError when the team was put away meanwhile */
  look(): Sight {
    const { store } = this;
    const known = { deeds: this.#deeds.read(), unread: (name: Name) => this.#unreadOf(name) };
    const { board, stage, lead, members } = lookAtTeam(store, { ...this.#options, known });
    const seen = members.map(({ status }) => status);
    return {
      ...{ board, stage, lead, members: seen, unread: this.#unreadOf(LEAD) },
      problems: problemsOf({ board, members: seen, hasLead: lead.alive }),
      colors: new Map(store.config.read()?.members.map(({ name, color }) => [name, color])),
      at: store.clock.now(),
    };
  }

  close(): void {
    this.#close();
  }

  #unreadOf(name: Name): number {
    const mark = waitingMark(this.store.disk, this.store.paths.inbox(name));
    const known = this.#unread.get(name);
    if (known?.mark === mark) return known.count;
    const count = unreadOf(this.store, name);
    this.#unread.set(name, { mark, count });
    return count;
  }
}
