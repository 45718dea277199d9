/** What goes over the wire from the server to the page: types alone, which both sides share. Times are milliseconds. */
import type { MailRow, TeamProblem, ShownPage } from '../../app.ts';

export type { MailRow, TeamProblem, ShownPage };

export const COLUMN_ORDER = ['blocked', 'ready', 'in_progress', 'completed', 'failed', 'skipped', 'cancelled'] as const;
export type WebColumn = (typeof COLUMN_ORDER)[number];

export interface TeamEntry {
  /** The name of its folder: of an archived team with the time. */
  readonly id: string;
  readonly name: string;
  readonly archivedAt?: string | undefined;
}

export interface Spent {
  readonly tokens: number;
  readonly usd: number;
}

export interface TaskRow {
  readonly id: string;
  readonly subject: string;
  readonly column: WebColumn;
  readonly member: string | null;
  readonly role: string | null;
  readonly blockedBy: readonly string[];
  /** Of those, what still holds it up. */
  readonly waitsFor: readonly string[];
  /** It waits for an answer. */
  readonly asks: boolean;
  readonly attempts: number;
  readonly since: number;
  readonly reason: string | null;
  readonly spent: Spent | null;
}

export interface SpanRow {
  readonly task: string;
  readonly member: string;
  readonly claim: number;
  readonly from: number;
  /** Null as long as it is held. */
  readonly to: number | null;
  readonly end: string | null;
}

export interface StartRow {
  readonly member: string;
  readonly at: number;
  readonly life: number;
}

export interface MemberRow {
  readonly name: string;
  readonly role: string;
  /** A place in the cycle of colours, from 0. */
  readonly color: number;
  /** `unknown` until the events are read. */
  readonly state: string;
  readonly reason: string;
  readonly pid: number | null;
  readonly task: string | null;
  readonly unread: number;
  readonly spent: Spent | null;
  readonly words: string | null;
}

export interface EdgeRow {
  readonly from: string;
  readonly to: string;
  readonly count: number;
}

export interface EventRow {
  readonly number: number;
  readonly at: number;
  readonly member: string | null;
  readonly type: string;
  readonly text: string;
  /** It stands in the board's log; if not, in the event log. */
  readonly isOfBoard: boolean;
}

export interface Head {
  readonly id: string;
  readonly team: string;
  readonly isArchived: boolean;
  readonly status: string;
  readonly phase: string;
  readonly lead: {
    readonly alive: boolean;
    readonly pid: number | null;
    readonly epoch: number;
    readonly unread: number;
  };
  readonly counts: { readonly total: number; readonly blocked: number } & Readonly<Record<string, number>>;
  readonly spent: Spent;
  /** Models without a known price. */
  readonly unpriced: readonly string[];
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly now: number;
  /** The events are still being read: figures that come from them are not whole. */
  readonly isReading: boolean;
  /** Why the view stands still. */
  readonly trouble: string | null;
}

/** The critical path, as it was at a time. */
export interface PathRow {
  /** Ids, from the first to the last. */
  readonly tasks: readonly string[];
  readonly ms: number;
  readonly at: number;
}

/** What changed since an event; a part that did not is left out. Rows replace those of the same key. */
export interface Update {
  /** The last event that it knows of. */
  readonly number: number;
  readonly head: Head;
  readonly tasks: readonly TaskRow[];
  readonly spans: readonly SpanRow[];
  readonly events: readonly EventRow[];
  readonly members?: readonly MemberRow[];
  readonly starts?: readonly StartRow[];
  readonly problems?: readonly TeamProblem[];
  readonly edges?: readonly EdgeRow[];
  readonly path?: PathRow;
}

export interface MailPage {
  readonly total: number;
  readonly rows: readonly MailRow[];
}

export interface TaskDetail {
  readonly id: string;
  readonly description: string;
  readonly history: readonly { readonly at: string; readonly type: string; readonly by: string }[];
  readonly result: string | null;
  /** Files that tell of it, for `file`. */
  readonly files: readonly string[];
}

export interface WhyDetail {
  readonly text: string;
}

export interface CommandResult {
  /** Who was told. */
  readonly told: readonly string[];
  /** Who was not, and why. */
  readonly refused: readonly string[];
}
