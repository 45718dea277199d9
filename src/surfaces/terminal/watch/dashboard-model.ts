/** The data of one drawing of the dashboard, and how it is made from a look at the team. */
import {
  COLORS,
  columnsOf,
  remainingOf,
  workedMs,
  type PastShown,
  type Spending,
  type TeamSnapshot,
  type TeamWatch,
} from '../../../app.ts';
import { dashboardRowsOf, rowsOf, type DashboardRows, type Row } from './dashboard-rows.ts';
import type { State } from './dashboard-state.ts';

export interface DashboardModel {
  readonly team: string;
  readonly snapshot: TeamSnapshot;
  readonly shown: DashboardRows;
  readonly rows: readonly Row[];
  /** Member → its agent's last words. */
  readonly words: ReadonlyMap<string, string>;
  /** Task → milliseconds worked on it. */
  readonly worked: ReadonlyMap<string, number>;
  readonly spending: {
    readonly total: Spending;
    readonly members: ReadonlyMap<string, Spending>;
    readonly tasks: ReadonlyMap<string, Spending>;
  };
  /** The time of the team's first event, in milliseconds; undefined until the events are read. */
  readonly startedAt: number | undefined;
  /** When the run ended; undefined while it runs. Its clock stands still then. */
  readonly endedAt: number | undefined;
  /** How long it will probably go on, in milliseconds. */
  readonly remaining: number | undefined;
  readonly state: State;
  /** The lines of the output that is shown. */
  readonly lines: readonly string[];
  /** They are not read yet. */
  readonly isAwaited: boolean;
  /** What the person is asked at the end of a run that failed. */
  readonly ending: string | undefined;
  /** Where a view of the past stands. */
  readonly past?: PastShown | undefined;
}

export interface DashboardSize {
  readonly columns: number;
  readonly rows: number;
}

type Projection = TeamWatch['projection'];

/** What the filter shows, and the rows of it that can be chosen. */
export function rowsIn(
  { flow }: Projection,
  snapshot: TeamSnapshot,
  filter: string,
): { readonly shown: DashboardRows; readonly rows: readonly Row[] } {
  const shown = dashboardRowsOf(snapshot, { columns: columnsOf(snapshot.board), messages: flow.recent }, filter);
  return { shown, rows: rowsOf(shown) };
}

/** In the view of a run its lead is at hand: between two rounds, too, where it begins anew after a retry. */
export const seenInRun = (snapshot: TeamSnapshot): TeamSnapshot => ({
  ...snapshot,
  problems: snapshot.problems.filter(({ kind }) => kind !== 'leaderless'),
});

type Progress = Pick<
  DashboardModel,
  'snapshot' | 'words' | 'worked' | 'spending' | 'startedAt' | 'endedAt' | 'remaining'
>;

export function progressOf(projection: Projection, snapshot: TeamSnapshot): Progress {
  const { words, spending, firstAt, completions, last, spans } = projection;
  const { board, outcome, gone, at } = snapshot;
  const known = new Set<number>(COLORS);
  const startedAt = firstAt === undefined ? undefined : Date.parse(firstAt);
  const isRunning = outcome === 'running' || outcome === 'waiting';
  const endedAt = isRunning || last === undefined ? undefined : Date.parse(last.at);
  return {
    snapshot: { ...snapshot, colors: new Map([...snapshot.colors].filter(([, color]) => known.has(color))) },
    words,
    worked: workedMs(spans.all(board.tasks, gone), endedAt ?? at, spans.lost),
    spending,
    startedAt,
    endedAt,
    remaining: remainingOf(snapshot, { completions, startedAt: startedAt ?? at }),
  };
}
