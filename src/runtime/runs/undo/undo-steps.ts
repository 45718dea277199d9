/** The steps of an undo, a redo or an apply: each takes one file from exactly one state to another. */
import {
  entryAt,
  freshPath,
  isSame,
  obstacleAbove,
  otherFileBelow,
  type PresentEntry,
  type TreeEntry,
} from '../../../store/workspace/user-files.ts';

export interface UndoStep {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly from: TreeEntry;
  readonly to: TreeEntry;
  /** It is as it shall be. */
  readonly isDone: boolean;
}

type StepChange = Pick<UndoStep, 'path' | 'from' | 'to'>;

/** A step, and what is there now. */
export interface SeenStep extends UndoStep {
  /** Nothing but the run's own change is there. */
  readonly isFree: boolean;
  /** Nothing is there. */
  readonly isGone: boolean;
  readonly isFolder: boolean;
  /** A file or link above or below the path, because of which it is not free; or behind which it is done. */
  readonly obstacle?: string;
}

/** @param isRepeat a call before was killed: a directory may stand where a file was removed */
export function stepOn(present: PresentEntry, { path, from, to }: StepChange, isRepeat: boolean): SeenStep {
  const isFolder = present === 'directory';
  // Where a directory stands in place of a file, its own files are steps as well.
  const isOver = isFolder && from === null;
  const isDone = typeof present === 'string' ? isRepeat && isFolder && to === null : isSame(to, present);
  return {
    path,
    from,
    to,
    isDone,
    isFree: isDone || isOver || isSame(from, present),
    isGone: present === null,
    isFolder,
  };
}

/** @returns the step on what is there now */
export const stepAt = (top: string, step: StepChange, isRepeat = false): SeenStep =>
  stepOn(entryAt(top, step.path, (step.from ?? step.to)?.hash ?? ''), step, isRepeat);

/**
 * All of them: a file may have to stand where there is a directory, or below what is a file or a link, of which the
 * files are removed first. What else is there is in its way.
 *
 * @param token of a call before that was killed
 */
export function stepsAt(top: string, changes: readonly StepChange[], token?: string): SeenStep[] {
  const isRepeat = token !== undefined;
  const steps = changes.map((change) => stepAt(top, change, isRepeat));
  const going = new Set(steps.flatMap(({ path, to, isFree }) => (isFree && to === null ? [path] : [])));
  if (isRepeat) for (const { path } of steps) going.add(freshPath(path, token));
  const standing = new Set(steps.flatMap(({ path, to, isDone }) => (isDone && to !== null ? [path] : [])));
  return steps.map((step) => {
    const { path, from, to, isDone } = step;
    if (isDone) return step;
    const above = obstacleAbove(top, path);
    // The call before has put a link in place of its directory.
    if (to === null && above !== undefined && isRepeat && standing.has(above))
      return { ...step, isDone: true, isFree: true, obstacle: above };
    if (from !== null || to === null) return step;
    const obstacle =
      above === undefined || going.has(above) ? otherFileBelow(top, path, (file) => going.has(file)) : above;
    if (obstacle !== undefined) return { ...step, isFree: false, obstacle };
    return above === undefined ? step : { ...step, isFree: true };
  });
}

/** The files that keep steps from being done. */
export const inTheWay = (steps: readonly SeenStep[]): string[] =>
  steps.flatMap(({ path, isFree, obstacle = path }) => (isFree ? [] : [obstacle]));
