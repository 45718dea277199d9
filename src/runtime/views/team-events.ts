/**
 * Everything that happens in a team as one stream: the board's log and the event log, merged by time. Records that the
 * board refused are left out. Nothing is written, so any number of readers may follow.
 */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import type { TeamReader } from '../../store/team/team-reader.ts';
import { lookAt } from '../../store/files/disk.ts';
import type { WatchFile } from '../../store/files/watch-file.ts';
import { TwoLogs } from './merged-log.ts';
import { TimeSlices } from '../process/time-slices.ts';
import { Waker } from '../process/waker.ts';

export interface EventOptions {
  /** The number of the first event that is yielded. */
  readonly from?: number;
  /** `now`: the past is not read, so the numbers count from now, too. */
  readonly since?: 'start' | 'now';
  /** Continues with later events, until the team is closed or made anew, or `signal` aborts. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Follows until this aborts; events from before the abort are still yielded. */
  readonly until?: AbortSignal;
  /** How the files are watched while following. */
  readonly watching?: WatchFile;
  /** Milliseconds from one look to the next where much happens: a view that is drawn 20 times a second needs no more. */
  readonly paceMs?: number;
  /** Whether nothing more will come; called whenever there was nothing new. */
  readonly isOver?: () => boolean;
}

/**
 * Yields the events of a team in the order of their times; among equal ones, and within one log, in file order.
 *
 * @throws UsageError `UNKNOWN_TEAM`; StoreError `NEWER_VERSION`
 */
export async function* teamEvents(
  store: Logs,
  { from = 1, ...options }: EventOptions = {},
): AsyncGenerator<ShownEvent, void, undefined> {
  for await (const news of teamNews(store, options))
    for (const event of news) {
      if (options.signal?.aborted === true) return;
      if (event.number >= from) yield event;
    }
}

type Logs = Pick<TeamReader, 'paths' | 'disk' | 'clock'>;

/** The same in portions, for a view that is drawn after each look. Never yields an empty portion. */
export async function* teamNews(
  store: Logs,
  options: Omit<EventOptions, 'from'> = {},
): AsyncGenerator<readonly ShownEvent[], void, undefined> {
  const logs = new TwoLogs(options.since === 'now' ? { ...store, from: 'now' } : store);
  try {
    yield* newsOf(logs, options);
  } finally {
    logs.close();
  }
}

/** Lines of each log that are read at once. */
const PORTION = 20;

/**
 * The new events of logs that another caller may read, too. However long the past is, other work of the process goes on
 * meanwhile.
 */
export async function* newsOf(
  logs: TwoLogs,
  { follow = false, signal, until = signal, watching, paceMs, isOver = () => false }: Omit<EventOptions, 'from'> = {},
): AsyncGenerator<readonly ShownEvent[], void, undefined> {
  const { paths, disk } = logs.store;
  const ino = lookAt(disk, paths.log)?.ino;
  const waker = follow ? new Waker(logs.store, [paths.log, paths.events], until, watching) : undefined;
  try {
    let number = 0;
    const slices = new TimeSlices();
    for (let [wasClosed, isQuiet] = [false, false]; ;) {
      const isLast = waker === undefined || wasClosed || until?.aborted === true || (isQuiet && isOver());
      while (!logs.readSome(PORTION) && signal?.aborted !== true) await slices.pause();
      // The last events may follow the closing: look once more.
      wasClosed = logs.store.board.board.phase === 'closed';
      const news: ShownEvent[] = [];
      for (const fact of logs.take()) {
        news.push({ ...fact, number: (number += 1) });
        if (number % PORTION === 0) await slices.pause();
      }
      if (signal?.aborted === true) return;
      isQuiet = news.length === 0;
      if (!isQuiet) yield news;
      // A new team was made in the place of this one. A team that was only removed may still be put back.
      if (isLast || (lookAt(disk, paths.log)?.ino ?? ino) !== ino) return;
      if (!isQuiet && paceMs !== undefined) await logs.store.clock.sleep(paceMs, until);
      await waker.wait();
    }
  } finally {
    waker?.close();
  }
}
