/** Types of the data that the server sends to the page; both sides share them. Times are milliseconds. */
import type { MailRow, PastPlace, RunOutcome, TeamProblem, ShownPage } from '../../app.ts';

export type { MailRow, PastPlace, TeamProblem, ShownPage };

/** What failed stands before what is done, because a narrow screen shows the first columns only. */
export const COLUMN_ORDER = [
  'blocked',
  'ready',
  'in_progress',
  'landing',
  'failed',
  'completed',
  'skipped',
  'cancelled',
] as const;
export type WebColumn = (typeof COLUMN_ORDER)[number];

export interface TeamEntry {
  /** The name of its folder; for an archived team it includes the time. */
  readonly id: string;
  readonly name: string;
  readonly archivedAt?: string | undefined;
}

export interface Spent {
  readonly tokens: number;
  readonly usd: number;
  /** The price of some of the tokens is not known: then `usd` is too little. */
  readonly isUnknown: boolean;
}

export interface TaskRow {
  readonly id: string;
  readonly subject: string;
  readonly column: WebColumn;
  readonly member: string | null;
  readonly role: string | null;
  readonly blockedBy: readonly string[];
  /** The blockers that are not resolved yet. */
  readonly waitsFor: readonly string[];
  /** The task waits for an answer. */
  readonly asks: boolean;
  /** Failed ones. */
  readonly attempts: number;
  /** Whether a member ever worked on it. */
  readonly isBegun: boolean;
  readonly since: number;
  readonly reason: string | null;
  readonly spent: Spent | null;
}

export interface SpanRow {
  readonly task: string;
  readonly member: string;
  readonly claim: number;
  readonly from: number;
  /** Null while the claim is held. */
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
  /** The index of its colour, from 0. */
  readonly color: number;
  /** `unknown` until the events are read. */
  readonly state: string;
  readonly reason: string;
  readonly pid: number | null;
  /** Where it runs, if that is another machine: `on build-7`. */
  readonly place: string | null;
  readonly task: string | null;
  /** Null where it was not recorded. */
  readonly unread: number | null;
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
  /** True for the board's log, false for the event log. */
  readonly isOfBoard: boolean;
}

export interface Head {
  readonly id: string;
  readonly team: string;
  readonly isArchived: boolean;
  readonly isPaused: boolean;
  /** Undefined until the team was looked at. */
  readonly outcome?: RunOutcome | undefined;
  readonly lead: {
    readonly alive: boolean;
    readonly pid: number | null;
    /** Of its process, if that is another machine. */
    readonly machine?: string | undefined;
    readonly epoch: number;
    /** Null where it was not recorded. */
    readonly unread: number | null;
  };
  readonly counts: { readonly total: number; readonly blocked: number } & Readonly<Record<string, number>>;
  readonly spent: Spent;
  /** Models without a known price. */
  readonly unpriced: readonly string[];
  /** How long the run will probably go on, in milliseconds; null while too little is known. */
  readonly remaining: number | null;
  readonly firstAt: number | null;
  readonly lastAt: number | null;
  readonly now: number;
  /** The events are still being read: figures from them are incomplete. */
  readonly isReading: boolean;
  /** Why the view is not updated any more; null while it is. */
  readonly trouble: string | null;
}

/** The critical path at a time. */
export interface PathRow {
  /** Task ids, from first to last. */
  readonly tasks: readonly string[];
  readonly ms: number;
  readonly at: number;
}

/** What changed since an event; unchanged parts are left out. A row replaces an earlier row with the same key. */
export interface Update {
  /** Which team it is: another one in its place has another text. */
  readonly of: string;
  /** The number of the last event that it includes. */
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

/** A moment of the past: everything as it stood then. */
export interface PastAnswer {
  readonly place: PastPlace;
  readonly update: Update;
}

export type MailPage = Found<MailRow>;

/** A line that a member printed. */
export interface FoundLine {
  readonly member: string;
  readonly line: string;
}

interface Found<T> {
  /** How many match; `rows` are the newest of them. */
  readonly total: number;
  readonly rows: readonly T[];
}

/** What a search over a whole team found. */
export interface FoundInTeam {
  readonly tasks: Found<{ readonly id: string; readonly subject: string; readonly status: string }>;
  readonly lines: Found<FoundLine>;
  readonly mail: Found<MailRow>;
  /** Among the latest events only. */
  readonly events: Found<EventRow>;
}

export interface TaskDetail {
  readonly id: string;
  readonly description: string;
  readonly history: readonly { readonly at: string; readonly type: string; readonly by: string }[];
  readonly result: string | null;
  /** Files about the task, for the route `file`. */
  readonly files: readonly string[];
}

/** Lines that a task or a member printed. */
export interface OutputPage {
  readonly lines: readonly string[];
  /** The line that has no end yet, such as a progress bar; empty if there is none. */
  readonly unfinished: string;
  /** How many whole lines there are in all, these included. */
  readonly total: number;
}

/** What a run or a task changed, as `git diff` prints it. */
export interface ChangesPage {
  readonly files: readonly string[];
  readonly text: string;
  /** The text goes on after these characters. */
  readonly isCut: boolean;
}

export interface WhyDetail {
  readonly text: string;
}

export interface CommandResult {
  /** The members that got the command's message. */
  readonly told: readonly string[];
  /** The members that did not get it, and why. */
  readonly refused: readonly string[];
  /** What else happened, as a sentence. */
  readonly note?: string;
}
