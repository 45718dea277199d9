/** Tasks for people: a list with one line each, or one task in full. */
import { isResolved, safeLine, safeText, timeOfDay, type Task } from '../../../app.ts';
import type { Painter } from './painter.ts';
import { table } from './table.ts';

/** @param all the whole board, to name the blockers of a task */
/** @param all the tasks of the board: a row names the blockers that are not resolved */
export const taskRows = (tasks: readonly Task[], all: ReadonlyMap<string, Task>): string =>
  table(tasks.map((task) => [`#${task.id}`, task.status, holder(task), task.subject, note(task, all)]));

const holder = (task: Task): string => (task.status === 'in_progress' ? task.claim.member : (task.owner ?? '-'));

function note(task: Task, all: ReadonlyMap<string, Task>): string {
  if (task.status === 'failed' || task.status === 'skipped' || task.status === 'cancelled') return task.reason;
  const blockers = task.status === 'pending' ? task.blockedBy.filter((id) => isOpen(all.get(id))) : [];
  return blockers.length === 0 ? '' : `waits for ${blockers.map((id) => `#${id}`).join(', ')}`;
}

const isOpen = (task: Task | undefined): boolean => task !== undefined && !isResolved(task);

interface TaskHistoryRow {
  readonly at: string;
  readonly type: string;
  readonly by: string;
}

/** @param result the full text of the last attempt, if there is one */
export function wholeTask(
  task: Task,
  history: readonly TaskHistoryRow[],
  result: string | undefined,
  name: Painter,
): string {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['status', task.status],
    ['key', task.key],
    ['owner', task.owner],
    ['role', task.role],
    ['blocked by', task.blockedBy.map((id) => `#${id}`).join(', ') || undefined],
    ['attempts', task.attempts === 0 ? undefined : `${task.attempts} failed, ${task.retries} forgiven`],
    ['reason', 'reason' in task ? task.reason : undefined],
  ];
  const shown = facts.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]));
  return [
    `#${task.id}  ${safeLine(task.subject)}`,
    ...indented(table(shown)),
    ...section(task.description),
    ...section(result ?? ''),
    '',
    ...history.map(({ at, type, by }) => `  ${timeOfDay(at)}  ${type}  ${name(by)}`),
  ].join('\n');
}

const section = (text: string): string[] => (text.trim() === '' ? [] : ['', ...indented(safeText(text).trimEnd())]);

const indented = (text: string): string[] => text.split('\n').map((line) => `  ${line}`);
