/** A team's board as the plan that an editor shows. Pure. */
import type { PlanEntry } from '@agentclientprotocol/sdk';
import { isInternal, safeLine, type Task } from '../../app.ts';

/** Entries of one plan: an editor shows all of them, and gets all of them with each change. */
const MOST_ENTRIES = 100;
const LINE = 200;

/** The protocol has no word for a task that failed: it is over, and its entry says how. */
const STATUSES = {
  pending: 'pending',
  in_progress: 'in_progress',
  landing: 'in_progress',
  completed: 'completed',
  failed: 'completed',
  skipped: 'completed',
  cancelled: 'completed',
} as const satisfies Record<Task['status'], PlanEntry['status']>;

/** Completed tasks are folded into one entry if there are more than an editor can show; then come the last ones. */
export function planEntries(tasks: Iterable<Task>): PlanEntry[] {
  const shown = [...tasks].filter((task) => !isInternal(task));
  if (shown.length <= MOST_ENTRIES) return shown.map(entryOf);
  const open = shown.filter(({ status }) => status !== 'completed');
  const done = shown.length - open.length;
  const busyFirst = open.toSorted((one, other) => rank(one) - rank(other));
  const rest = busyFirst.slice(MOST_ENTRIES - 2);
  return [
    ...(done === 0 ? [] : [summary(`${done} completed`, 'completed')]),
    ...busyFirst.slice(0, MOST_ENTRIES - 2).map(entryOf),
    ...(rest.length === 0 ? [] : [summary(`${rest.length} more`, 'pending')]),
  ];
}

const rank = ({ status }: Task): number =>
  status === 'in_progress' || status === 'landing' ? 0 : status === 'pending' ? 2 : 1;

const summary = (what: string, status: PlanEntry['status']): PlanEntry => ({
  content: `… ${what}`,
  priority: 'medium',
  status,
});

const entryOf = (task: Task): PlanEntry => ({
  content: safeLine(`#${task.id} ${task.subject}${noteOn(task)}`).slice(0, LINE),
  priority: task.required ? 'high' : 'medium',
  status: STATUSES[task.status],
});

function noteOn(task: Task): string {
  switch (task.status) {
    case 'pending':
      return task.owner === undefined ? '' : ` (${task.owner})`;
    case 'in_progress':
      return ` (${task.claim.member})`;
    case 'landing':
      return ` (${task.by.member}, lands)`;
    case 'completed':
      return ` (${task.by.member})`;
    case 'failed':
    case 'skipped':
    case 'cancelled':
      return ` (${task.status}: ${task.reason})`;
  }
}
