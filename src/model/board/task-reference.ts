/** Finds the task that a person or a program names: by key, subject, code or id. */
import type { Board } from './board.ts';
import { UsageError } from '../text/errors.ts';
import { subjectCode, type Task } from './task.ts';

/**
 * Resolves a reference to a task: its key, then its exact subject or the subject's leading code, then its id. `#3`
 * always means the id, so that no key or subject can replace it.
 *
 * @throws UsageError `UNKNOWN_TASK` for none, `BAD_REFERENCE` for several
 */
export function resolveTask(board: Board, reference: string): Task {
  const tasks = [...board.tasks.values()];
  const ways: ((task: Task) => boolean)[] = /^#[0-9]+$/.test(reference)
    ? [(task) => `#${task.id}` === reference]
    : [
        (task) => task.key === reference,
        (task) => task.subject === reference || subjectCode(task.subject) === reference,
        (task) => task.id === reference,
      ];
  for (const fits of ways) {
    const found = tasks.filter(fits);
    if (found.length > 1) {
      const ids = found.map((task) => `#${task.id}`).join(', ');
      throw new UsageError('BAD_REFERENCE', `${JSON.stringify(reference)} names several tasks (${ids}); use the id.`);
    }
    if (found[0]) return found[0];
  }
  throw new UsageError(
    'UNKNOWN_TASK',
    `There is no task ${JSON.stringify(reference)}; \`teams task list\` shows them.`,
  );
}
