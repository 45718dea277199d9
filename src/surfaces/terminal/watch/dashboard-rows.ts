/** What of a team is shown under a filter, and which rows can be chosen. */
import type { Card, Column, Passed, Sight } from '../../../index.ts';
import type { Row } from './dashboard-state.ts';

/** The cards of a board in the order in which somebody looks at them: work first, what is over last. */
const ORDER: readonly Column[] = ['in_progress', 'failed', 'ready', 'blocked', 'completed', 'skipped', 'cancelled'];

export interface DashboardRows {
  readonly problems: Sight['problems'];
  readonly members: Sight['members'];
  readonly cards: readonly Card[];
  readonly messages: readonly Passed[];
}

export interface RowSource {
  readonly columns: Readonly<Record<Column, readonly Card[]>>;
  readonly messages: readonly Passed[];
}

export function dashboardRowsOf(
  { problems, members }: Sight,
  { columns, messages }: RowSource,
  filter: string,
): DashboardRows {
  const wanted = filter.toLowerCase();
  const has = (...texts: readonly (string | null)[]): boolean =>
    texts.some((text) => text?.toLowerCase().includes(wanted) === true);
  // What was done last is what is of interest among what is done.
  const cards = ORDER.flatMap((column) => (column === 'completed' ? columns[column].toReversed() : columns[column]));
  return {
    problems: problems.filter(({ subject, text }) => has(subject, text)),
    members: members.filter(({ name, role, state, reason }) => has(name, role, state, reason)),
    cards: cards.filter(({ id, subject, member, column }) => has(`#${id}`, subject, member, column)),
    messages: messages.filter(({ from, to, kind, text }) => has(from, to, kind, text)),
  };
}

export const rowsOf = ({ problems, members }: Pick<DashboardRows, 'problems' | 'members'>): Row[] => [
  ...problems.map((problem): Row => ({ is: 'problem', problem })),
  ...members.map(({ name }): Row => ({ is: 'member', member: name })),
];
