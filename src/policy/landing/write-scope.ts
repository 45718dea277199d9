/**
 * Whether a member may write a file now (docs/specification.md R8.14), asked where a door is ours: our own file tools,
 * and a program's permission request. A task that names no files may write any.
 */
import type { Board } from '../../model/board/board.ts';
import { isFinal } from '../../model/board/task.ts';
import type { Name } from '../../model/text/names.ts';
import { matcher } from '../file-patterns.ts';

interface WriteRequest {
  readonly member: Name;
  /** Relative to the working directory, with `/`. */
  readonly path: string;
  /** Files that the lead granted it. */
  readonly granted: readonly string[];
  /** Patterns of the lead's files. */
  readonly shared: readonly string[];
  /** It is not there, or the member itself made it. */
  readonly isNew: boolean;
}

/** @returns undefined if allowed, else a sentence that names the owner and what to do */
export function writeRefusal(board: Board, { member, path, granted, shared, isNew }: WriteRequest): string | undefined {
  const claim = board.tasks.get(board.busy.get(member) ?? '');
  if (claim === undefined || claim.work.files.length === 0) return undefined;
  const { files, artifact } = claim.work;
  if (matcher([...files, ...(artifact === undefined ? [] : [artifact]), ...granted])(path)) return undefined;
  const ask = 'Ask the lead for it with a message of kind boundary (`teams send lead "FILE: why" --kind boundary`).';
  if (matcher(shared)(path))
    return `${path} is a shared file, which only the lead changes (rule: file ownership). ${ask}`;
  const other = [...board.tasks.values()].find(
    (task) => task.id !== claim.id && task.owner !== member && !isFinal(task) && matcher(task.work.files)(path),
  );
  if (other !== undefined)
    return `${path} belongs to ${other.owner ?? 'another member'}, by task #${other.id} (rule: file ownership). ${ask}`;
  return isNew
    ? undefined
    : `${path} is not among the files of task #${claim.id}, which are ${files.join(', ')} (rule: file ownership). ${ask}`;
}
