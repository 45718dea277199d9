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

/** A page of mail, with the number of the last record of the log at that moment; 0 if there is no mail. */
export interface EngineMailPage {
  readonly mail: readonly EngineMail[];
  readonly log: number;
  /** There was no other mail when it was asked. */
  readonly isAll: boolean;
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
