/**
 * Brings what landed into the project's files: the user's files as they are now, merged with the common state since the
 * last apply (docs/isolation.md).
 */
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import type { TeamReader } from '../../../store/team/team-reader.ts';
import type { StoreOptions } from '../../../store/team/team-store.ts';
import { GitFailure } from '../../process/git-tree.ts';
import { landedWork } from '../../trees/landed-work.ts';
import { carryOutUndo } from '../carry-out-undo.ts';
import { listedFiles, planChange, type ApplyPlan, type FilesChange } from './change-files.ts';

/** @throws as `planChange` */
export const planApply = (
  reader: TeamReader,
  { task }: { readonly task?: Task | undefined },
  signal: AbortSignal,
): Promise<ApplyPlan> =>
  planChange(
    reader,
    async (store) => {
      const refusal = (files: readonly string[]): ConflictError => conflicting(store, files);
      // An apply of one task is no state of the whole: the next merges from the one before.
      if (task !== undefined) return { ...broughtBy(store, task), refusal };
      const work = await landedWork(store, signal);
      if (work === undefined) throw new GitFailure('its repository is gone');
      return { from: work.applied, to: work.main, landed: work.main, count: work.count, refusal };
    },
    signal,
  );

/** The change of one task. @throws UsageError `USAGE` if none landed */
export function broughtBy({ paths }: TeamReader, task: Task): Omit<FilesChange, 'refusal'> {
  if (task.status === 'completed' && task.landed !== undefined)
    return { from: task.landed.attempt.base, to: task.landed.attempt.commit, task: task.id, count: 1 };
  throw new UsageError('USAGE', `No change of task #${task.id} of team ${paths.name} has landed.`);
}

const conflicting = ({ paths }: TeamReader, files: readonly string[]): ConflictError =>
  new ConflictError(
    'REFUSED',
    `Nothing was applied: you and team ${paths.name} changed ${listedFiles(files)} at the same place. Set your own edits aside (for example \`git stash\`), apply, and bring them back; \`teams diff ${paths.name}\` shows what landed.`,
  );

/** @throws ConflictError `REFUSED` if a file was changed since the plan was made; then nothing is changed */
export const carryOutApply = (
  { paths }: TeamReader,
  plan: ApplyPlan,
  store: StoreOptions,
  signal: AbortSignal,
): Promise<void> => carryOutUndo(paths, plan, { redo: true, told: 'run.applied', store }, signal);
