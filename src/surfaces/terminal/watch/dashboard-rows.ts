/** Selects what a filter shows, and which rows can be chosen. */
import type { BoardColumn, Card, MessageSummary, TeamProblem, TeamSnapshot } from '../../../app.ts';

/** The order of the cards: current work first, then what was not done, then what was. */
const ORDER: readonly BoardColumn[] = [
  'in_progress',
  'landing',
  'failed',
  'ready',
  'blocked',
  'skipped',
  'completed',
  'cancelled',
];

type Member = TeamSnapshot['members'][number];
/** Members that work come first, then those that cannot go on. */
const STATES: readonly Member['state'][] = ['working', 'waiting', 'stalled', 'dead', 'quarantined', 'rate-limited'];

/** A row that can be chosen: problems first, then members, then tasks. */
export type Row =
  | { readonly kind: 'problem'; readonly problem: TeamProblem }
  | { readonly kind: 'member'; readonly member: string }
  | { readonly kind: 'task'; readonly card: Card };

/** Whose output is shown. */
export type Subject =
  { readonly kind: 'member'; readonly member: string } | { readonly kind: 'task'; readonly task: string };

export interface DashboardRows {
  readonly problems: TeamSnapshot['problems'];
  readonly members: TeamSnapshot['members'];
  readonly cards: readonly Card[];
  readonly messages: readonly MessageSummary[];
}

interface RowSource {
  readonly columns: Readonly<Record<BoardColumn, readonly Card[]>>;
  readonly messages: readonly MessageSummary[];
}

export function dashboardRowsOf(
  { problems, members }: TeamSnapshot,
  { columns, messages }: RowSource,
  filter: string,
): DashboardRows {
  const wanted = filter.toLowerCase();
  const has = (...texts: readonly (string | null)[]): boolean =>
    texts.some((text) => text?.toLowerCase().includes(wanted) === true);
  // Among completed tasks the latest come first.
  const cards = ORDER.flatMap((column) => (column === 'completed' ? columns[column].toReversed() : columns[column]));
  const shown = members.filter(({ name, role, state, reason }) => has(name, role, state, reason));
  return {
    problems: problems.filter(({ subject, text }) => has(subject, text)),
    members: shown.toSorted((a, b) => rankOf(a) - rankOf(b)),
    cards: cards.filter(({ id, subject, member, column }) => has(`#${id}`, subject, member, column)),
    messages: messages.filter(({ from, to, kind, text }) => has(from, to, kind, text)),
  };
}

function rankOf({ state }: Member): number {
  const rank = STATES.indexOf(state);
  return rank < 0 ? STATES.length : rank;
}

export const rowsOf = ({ problems, members, cards }: Pick<DashboardRows, 'problems' | 'members' | 'cards'>): Row[] => [
  ...problems.map((problem): Row => ({ kind: 'problem', problem })),
  ...members.map(({ name }): Row => ({ kind: 'member', member: name })),
  ...cards.map((card): Row => ({ kind: 'task', card })),
];

/** A row keeps its key while the list changes around it. */
export function keyOf(row: Row): string {
  if (row.kind === 'member') return `member ${row.member}`;
  if (row.kind === 'task') return `task ${row.card.id}`;
  return `${row.problem.kind} ${row.problem.subject} ${row.problem.since ?? ''}`;
}

/** The index of the chosen row; if it is gone, the task that it was about, else the first one. */
export function chosenRow({ selected }: { readonly selected: string }, rows: readonly Row[]): number {
  const at = rows.findIndex((row) => keyOf(row) === selected);
  if (at >= 0) return at;
  const about = /\btask #(\S+)/.exec(selected)?.[1];
  return Math.max(
    0,
    rows.findIndex((row) => row.kind === 'task' && row.card.id === about),
  );
}

/** Whose output a row stands for. */
export function subjectOf(row: Row | undefined): Subject | undefined {
  if (row === undefined) return undefined;
  if (row.kind === 'member') return { kind: 'member', member: row.member };
  if (row.kind === 'task') return { kind: 'task', task: row.card.id };
  const { task, member } = row.problem;
  if (task !== undefined) return { kind: 'task', task };
  return member === undefined ? undefined : { kind: 'member', member };
}
