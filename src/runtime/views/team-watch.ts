/**
 * Follows a team from outside, for long-lived views: each event is read once, and mail is counted again only when it
 * has changed. It only reads, so any number may watch a team of any process, also one that has ended.
 */
import type { Board } from '../../model/board/board.ts';
import type { Clock } from '../../model/text/clock.ts';
import { LEAD, type Name } from '../../model/text/names.ts';
import { isSameFolder, type FolderIdentity } from '../../model/team/folder-identity.ts';
import type { ShownEvent } from '../../model/team/shown-event.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { problemsOf, type TeamProblem } from '../../policy/view/team-problems.ts';
import { TeamProjection } from '../../policy/view/team-projection.ts';
import { WaitingCount } from '../../store/mail/inbox-view.ts';
import type { TeamPaths } from '../../store/files/paths.ts';
import { folderIn } from '../../store/files/folder-of.ts';
import { lookAt, realDisk } from '../../store/files/disk.ts';
import { openForReading, type TeamReader } from '../../store/team/team-reader.ts';
import { realClock } from '../../os/system-clock.ts';
import { MemberHistories } from '../../policy/view/member-history.ts';
import { goneIn, lookAtTeam, type SeenMemberStatus, type StatusOptions, type TeamLook } from './status.ts';
import { newsOf } from './team-events.ts';
import { TimeSlices } from '../process/time-slices.ts';
import { hasEnded } from './follow.ts';
import { TwoLogs } from './merged-log.ts';

/** A member at one moment; how much of its mail was unread is null where that was not recorded. */
export type SnapshotMember = Omit<SeenMemberStatus, 'unread'> & { readonly unread: number | null };

/** A team at one moment. */
export interface TeamSnapshot extends Pick<TeamLook, 'board' | 'outcome' | 'lead'> {
  readonly members: readonly SnapshotMember[];
  /** Unread messages of the lead; null where that was not recorded. */
  readonly unread: number | null;
  readonly problems: readonly TeamProblem[];
  /** Member → its ANSI colour. */
  readonly colors: ReadonlyMap<string, number>;
  /** Member → when its process was heard last that is gone, in milliseconds since 1970. */
  readonly gone: ReadonlyMap<string, number>;
  /** Wall time in milliseconds. */
  readonly at: number;
}

export interface TeamWatchOptions extends Pick<StatusOptions, 'stalledAfterMs'> {
  readonly prices?: Prices;
}

/** Events that are handled at once. */
const PORTION = 20;
/** Views show what happens at most 20 times a second. */
const PACE_MS = 50;

export class TeamWatch {
  readonly store: TeamReader;
  /** What the events say so far. */
  readonly projection: TeamProjection;
  readonly clock: Clock = realClock;
  /** Which team it is: one that is made later in the same place has another. */
  readonly identity: string;
  readonly #log: FolderIdentity | undefined;
  readonly #options: TeamWatchOptions;
  readonly #logs: TwoLogs;
  readonly #histories = new MemberHistories();
  readonly #unread = new Map<Name, WaitingCount>();

  /** @throws UsageError `UNKNOWN_TEAM` */
  constructor(paths: TeamPaths, options: TeamWatchOptions = {}) {
    const onLogged = (event: TeamEvent): void => this.#histories.add(event);
    this.#logs = new TwoLogs({ paths, disk: realDisk, clock: realClock, onLogged });
    this.store = this.#logs.store;
    this.#log = logOf(paths);
    this.identity = this.#log === undefined ? '' : `${this.#log.ino}-${Math.trunc(this.#log.born ?? 0)}`;
    this.projection = new TeamProjection(options.prices);
    this.#options = options;
  }

  /**
   * The board from its checkpoint on, to be shown before the past is read.
   *
   * @param use has the board until it resolves
   */
  async sketch(use: (board: Board) => Promise<void>): Promise<void> {
    const { paths, disk, clock } = this.store;
    const reader = openForReading(paths, { disk, clock });
    try {
      const slices = new TimeSlices();
      while (!reader.board.foldSome(PORTION)) await slices.pause();
      await use(reader.board.board);
    } finally {
      reader.close();
    }
  }

  /**
   * Yields the events so far at once, then new ones, until `signal` aborts or the team is closed.
   *
   * @param endsWithRun also ends when the run is complete and nobody leads it
   */
  async *follow(signal: AbortSignal, { endsWithRun = false } = {}): AsyncGenerator<readonly ShownEvent[]> {
    const isOver = (): boolean => endsWithRun && hasEnded(this.store);
    for await (const news of newsOf(this.#logs, { follow: true, signal, paceMs: PACE_MS, isOver })) {
      const slices = new TimeSlices();
      for (const [at, event] of news.entries()) {
        this.projection.add(event);
        if (at % PORTION === PORTION - 1) await slices.pause();
      }
      yield news;
    }
  }

  /**
   * The present state.
   *
   * @throws StoreError if the team was archived meanwhile
   */
  look(): TeamSnapshot {
    const { store } = this;
    this.#logs.readAll();
    const known = { histories: this.#histories.byMember, unread: (name: Name) => this.#unreadOf(name) };
    const { board, outcome, lead, members } = lookAtTeam(store, { ...this.#options, known });
    const seen = members.map(({ status }) => status);
    return {
      board,
      outcome,
      lead,
      members: seen,
      unread: this.#unreadOf(LEAD),
      problems: problemsOf({ board, members: seen, hasLead: lead.alive }),
      colors: new Map(store.config.read()?.members.map(({ name, color }) => [name, color])),
      gone: goneIn(store, { members }),
      at: store.clock.now(),
    };
  }

  /** Whether another team was made in its place since. */
  isReplaced(): boolean {
    const present = logOf(this.store.paths);
    return present !== undefined && (this.#log === undefined || !isSameFolder(present, this.#log));
  }

  close(): void {
    this.#logs.close();
  }

  #unreadOf(name: Name): number {
    const { disk, paths } = this.store;
    const count = this.#unread.get(name) ?? new WaitingCount(disk, paths.inbox(name));
    this.#unread.set(name, count);
    return count.look();
  }
}

/** The board's log, which an archived team keeps. */
function logOf({ log }: TeamPaths): FolderIdentity | undefined {
  const found = lookAt(realDisk, log);
  return found && folderIn(log, found);
}
