/** Selects what a filter shows, and which rows can be chosen. */
import type { Card, BoardColumn, MessageSummary, TeamSnapshot } from '../../../app.ts';
import type { Row } from './dashboard-state.ts';

/** The order of the cards: current work first, ended tasks last. */
const ORDER: readonly BoardColumn[] = [
  'in_progress',
  'failed',
  'ready',
  'blocked',
  'completed',
  'skipped',
  'cancelled',
];

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
  return {
    problems: problems.filter(({ subject, text }) => has(subject, text)),
    members: members.filter(({ name, role, state, reason }) => has(name, role, state, reason)),
    cards: cards.filter(({ id, subject, member, column }) => has(`#${id}`, subject, member, column)),
    messages: messages.filter(({ from, to, kind, text }) => has(from, to, kind, text)),
  };
}

export const rowsOf = ({ problems, members }: Pick<DashboardRows, 'problems' | 'members'>): Row[] => [
  ...problems.map((problem): Row => ({ kind: 'problem', problem })),
  ...members.map(({ name }): Row => ({ kind: 'member', member: name })),
];
