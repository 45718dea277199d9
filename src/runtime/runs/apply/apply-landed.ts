/**
 * Brings what landed into the project's files: the user's files as they are now, merged with the common state since the
 * last apply (docs/isolation.md).
 */
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import type { TeamReader } from '../../../store/team/team-reader.ts';
import type { StoreOptions } from '../../../store/team/team-store.ts';
import { GitFailure } from '../../process/git-tree.ts';
import type { ChangedFile } from '../../process/working-tree.ts';
import { landedWork } from '../../trees/landed-work.ts';
import { carryOutUndo } from '../undo/carry-out-undo.ts';
import { listedFiles, planChange, type ApplyPlan, type FilesChange } from './change-files.ts';

interface ApplyChoice {
  /** Only the change of this task. */
  readonly task?: Task | undefined;
  /** This process leads the team, so that it may run. */
  readonly leads?: boolean | undefined;
}

/** What an apply brought. */
interface AppliedWork {
  /** How many changes of tasks. */
  readonly landed: number;
  /** Relative to the root of the repository; none if the project had all of it. */
  readonly files: readonly ChangedFile[];
  /** What is told if there are no files. */
  readonly nothing: string;
}

/** @throws as `planChange` */
export const planApply = (reader: TeamReader, { task, leads }: ApplyChoice, signal: AbortSignal): Promise<ApplyPlan> =>
  planChange(
    reader,
    async (store) => {
      const refusal = (files: readonly string[]): ConflictError => conflicting(store, files);
      // An apply of one task is no state of the whole: the next merges from the one before.
      if (task !== undefined) {
        const nothing = `Nothing to apply: your files have the change of task #${task.id}.`;
        return { ...broughtBy(store, task), nothing, refusal };
      }
      const work = await landedWork(store, signal);
      if (work === undefined) throw new GitFailure('its repository is gone');
      const nothing =
        work.count === 0
          ? 'Nothing to apply: nothing landed that was not applied before.'
          : 'Nothing to apply: your files have all that landed.';
      return { from: work.applied, to: work.main, landed: work.main, count: work.count, nothing, refusal };
    },
    signal,
    { leads },
  );

/** The change of one task. @throws UsageError `USAGE` if none landed */
export function broughtBy({ paths }: TeamReader, task: Task): Omit<FilesChange, 'nothing' | 'refusal'> {
  if (task.status === 'completed' && task.landed !== undefined)
    return { from: task.landed.attempt.base, to: task.landed.attempt.commit, task: task.id, count: 1 };
  throw new UsageError('USAGE', `No change of task #${task.id} of team ${paths.name} has landed.`);
}

const conflicting = ({ paths }: TeamReader, files: readonly string[]): ConflictError =>
  new ConflictError(
    'REFUSED',
    `Nothing was applied: you and team ${paths.name} changed ${listedFiles(files)} at the same place. Set your own edits aside (for example \`git stash\`), apply, and bring them back; \`teams diff ${paths.name}\` shows what landed.`,
  );

/**
 * Merges what landed into the project's files.
 *
 * @throws as {@link planApply}; ConflictError `REFUSED` if a file is changed meanwhile; then nothing is changed
 */
export async function applyLanded(
  reader: TeamReader,
  choice: ApplyChoice,
  store: StoreOptions,
  signal: AbortSignal,
): Promise<AppliedWork> {
  const plan = await planApply(reader, choice, signal);
  const files = plan.steps.map(({ path, from, to }): ChangedFile => ({ path, change: changeOf(from, to) }));
  const how = { redo: true, told: 'run.applied', store, leads: choice.leads };
  const isNews = files.length > 0 || (choice.task === undefined && plan.landed > 0);
  if (isNews) await carryOutUndo(reader.paths, plan, how, signal);
  return { landed: plan.landed, files, nothing: plan.nothing };
}

const changeOf = (from: object | null, to: object | null): ChangedFile['change'] => {
  if (from === null) return 'added';
  return to === null ? 'deleted' : 'modified';
};
