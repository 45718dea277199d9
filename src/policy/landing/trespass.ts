/**
 * Files of a change that are not its task's (docs/specification.md R8.14), where a change is known exactly: members have
 * trees of their own.
 */
import { matcher } from '../file-patterns.ts';

interface ChangedPaths {
  readonly changed: readonly string[];
  /** Patterns of the task; none: any file that no other task names. */
  readonly own: readonly string[];
  /** Patterns that the lead granted its member. */
  readonly granted: readonly string[];
  /** Patterns of all other tasks. */
  readonly others: readonly string[];
}

export function trespass({ changed, own, granted, others }: ChangedPaths): string[] {
  const isIts = matcher([...own, ...granted]);
  const isOthers = matcher(others);
  return changed.filter((path) => !isIts(path) && (own.length > 0 || isOthers(path)));
}
