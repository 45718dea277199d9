/** All that one drawing of the watch is made of. */
import type { Sight, Spending } from '../../../index.ts';
import type { Shown } from './dashboard-rows.ts';
import type { State } from './dashboard-state.ts';

export interface Look {
  readonly team: string;
  readonly sight: Sight;
  readonly shown: Shown;
  /** Member → its agent's last words. */
  readonly words: ReadonlyMap<string, string>;
  readonly spending: Spending;
  /** When the team's first event happened, in milliseconds. */
  readonly startedAt: number;
  readonly state: State;
  /** Of a pane that shows one member: its lines. */
  readonly lines: readonly string[];
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}
