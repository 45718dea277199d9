/** What the engine answers: teams, mail, leases, events. */
import type { Name } from '../../model/text/names.ts';

export interface EngineTeam {
  readonly id: string;
  readonly name: Name;
}

export interface EngineMailbox {
  readonly member: Name;
  /** How much it ever had, and how much of that is acknowledged. */
  readonly last: number;
  readonly used: number;
}

export interface EngineMail {
  readonly number: number;
  readonly line: string;
}

export interface EngineLease {
  readonly name: Name;
  readonly owner: string;
  /** Until it lapses, by the engine's clock; negative afterwards. */
  readonly seconds: number;
}

/** An event that another machine told. */
export interface EngineEvent {
  readonly number: number;
  readonly source: string;
  readonly line: string;
}

export interface LeaseTaking {
  readonly owner: string | undefined;
  readonly lapsed: string | undefined;
}

/** How far the ledger of the day of a role is. */
export interface SpendingNews {
  /** The date by the store. */
  readonly today: string;
  /** That of its last record, and how many there are on it. */
  readonly day: string;
  readonly last: number;
}
