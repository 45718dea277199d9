/** All that one drawing of the watch is made of. */
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
  /** When the team's first event happened, in milliseconds. */
  readonly startedAt: number;
  readonly state: State;
  /** Of a pane that shows one member: its lines. */
  readonly lines: readonly string[];
}

export interface DashboardSize {
  readonly columns: number;
  readonly rows: number;
}
