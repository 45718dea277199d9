/** The data of one drawing of the dashboard. */
import type { TeamSnapshot, Spending } from '../../../app.ts';
import type { DashboardRows } from './dashboard-rows.ts';
import type { State } from './dashboard-state.ts';

export interface DashboardModel {
  readonly team: string;
  readonly snapshot: TeamSnapshot;
  readonly shown: DashboardRows;
  /** Member → its agent's last words. */
  readonly words: ReadonlyMap<string, string>;
  readonly spending: Spending;
  /** The time of the team's first event, in milliseconds. */
  readonly startedAt: number;
  readonly state: State;
  /** The lines of a pane that shows one member. */
  readonly lines: readonly string[];
}

export interface DashboardSize {
  readonly columns: number;
  readonly rows: number;
}
