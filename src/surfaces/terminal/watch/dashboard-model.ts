/** The data of one drawing of the dashboard. */
import type { Spending, TeamSnapshot } from '../../../app.ts';
import type { DashboardRows, Row } from './dashboard-rows.ts';
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
  /** The time of the team's first event, in milliseconds. */
  readonly startedAt: number;
  /** When the run ended; undefined while it runs. Its clock stands still then. */
  readonly endedAt: number | undefined;
  /** How long it will probably go on, in milliseconds. */
  readonly remaining: number | undefined;
  readonly state: State;
  /** The lines of the output that is shown. */
  readonly lines: readonly string[];
  /** What the person is asked at the end of a run that failed. */
  readonly ending: string | undefined;
}

export interface DashboardSize {
  readonly columns: number;
  readonly rows: number;
}
