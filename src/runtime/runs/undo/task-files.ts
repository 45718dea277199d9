/** Which files of a run without trees are one task's. */
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import { matcher } from '../../../policy/file-patterns.ts';
import type { TeamReader } from '../../../store/team/team-reader.ts';

const namesOf = (task: Task): string[] => [
  ...task.work.files,
  ...(task.work.artifact === undefined ? [] : [task.work.artifact]),
  ...('result' in task ? task.result.files : []),
];

/**
 * Whether a path is the run's, or the one task's. Where every attempt names its files, what none of them names is a
 * person's.
 *
 * @throws UsageError, ConflictError where one task's change cannot be told from others'
 */
export function namedBy(store: TeamReader, task: Task | undefined): (path: string) => boolean {
  const worked = [...store.board.fold().tasks.values()].filter(({ claims }) => claims > 0);
  if (task === undefined)
    return worked.every((one) => namesOf(one).length > 0) && worked.length > 0
      ? matcher(worked.flatMap(namesOf))
      : () => true;
  const own = namesOf(task);
  const unnamed = worked.filter((one) => one.id !== task.id && namesOf(one).length === 0);
  if (own.length === 0 || unnamed.length > 0)
    throw new UsageError(
      'USAGE',
      `The change of task #${task.id} cannot be told from those of others: ${[...(own.length === 0 ? [task] : []), ...unnamed].map(({ id }) => `#${id}`).join(', ')} named no files. \`teams undo ${store.paths.name}\` takes the whole run back.`,
    );
  const isOwn = matcher(own);
  const others = worked.filter((one) => one.id !== task.id);
  const shared = others.filter((one) => namesOf(one).some(isOwn) || own.some(matcher(namesOf(one))));
  if (shared.length > 0)
    throw new ConflictError(
      'REFUSED',
      `Task #${task.id} and ${shared.map(({ id }) => `#${id}`).join(', ')} changed the same files; \`teams undo ${store.paths.name}\` takes the whole run back.`,
    );
  return isOwn;
}
