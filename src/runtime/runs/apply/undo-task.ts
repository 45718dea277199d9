/**
 * Takes the change of one task out of the user's files, exactly, or brings it back: what landed with it, made again
 * backwards on the files as they are now. What the user and other tasks did elsewhere stays, in the same files too; where
 * a later change builds on it, nothing is done (docs/specification.md R8.23).
 */
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import type { RunLife } from '../../../model/run/run-state.ts';
import type { TeamReader } from '../../../store/team/team-reader.ts';
import type { StoreOptions } from '../../../store/team/team-store.ts';
import { GitFailure, requireGit } from '../../process/git-tree.ts';
import { git, type GitWhere } from '../../process/git.ts';
import { changeOnTop } from '../../trees/change-on-top.ts';
import { inVault } from '../../trees/vault.ts';
import { commitOf, treeOf } from '../../trees/vault-commits.ts';
import { carryOutUndo } from '../undo/carry-out-undo.ts';
import { broughtBy } from './apply-landed.ts';
import { listedFiles, planChange, type ApplyPlan, type FilesChange } from './change-files.ts';

/**
 * @param choice.redo brings it back
 * @throws UsageError `USAGE` for a change that is not in the files, or is for `redo`; ConflictError `REFUSED` naming the
 *   task that built on it, or the files that the user changed at the same place; and as `planChange`
 */
export const planTaskUndo = (
  reader: TeamReader,
  { task, redo }: { readonly task: Task; readonly redo: boolean },
  signal: AbortSignal,
): Promise<ApplyPlan> =>
  planChange(
    reader,
    async (store, lives) => {
      const { name } = store.paths;
      const own = inVault(store.paths, { signal });
      const its = broughtBy(store, task);
      const commit = task.status === 'completed' ? (task.landed?.commit ?? '') : '';
      const brought = await broughtLast(task, commit, lives, own);
      if (redo && brought !== undefined)
        throw new UsageError('USAGE', `The change of task #${task.id} of team ${name} is in your files.`);
      const nothing = `Nothing to do: your files ${redo ? '' : 'do not '}have the change of task #${task.id}.`;
      if (redo) return { ...its, nothing, refusal: (files) => edited(task, 'brought back', files) };
      if (brought === undefined)
        throw new UsageError(
          'USAGE',
          `The change of task #${task.id} of team ${name} is not in your files: it was not applied, or taken back before.`,
        );
      const { landed } = brought;
      const refusal: FilesChange['refusal'] = async (files) => {
        const later = landed === undefined ? undefined : await builtOn(files, { from: commit, to: landed }, own);
        return later === undefined ? edited(task, 'taken back', files) : builtUpon(name, task, later, files);
      };
      // Brought with the whole, it is what its landing made of it.
      const change =
        landed === undefined ? { from: its.to, to: its.from } : { from: commit, to: await parentOf(commit, own) };
      return { ...change, task: task.id, back: true, count: 1, nothing, refusal };
    },
    signal,
  );

/** The last life that brought the change; undefined if it is not in the files. */
async function broughtLast(
  { id }: Task,
  commit: string,
  lives: readonly RunLife[],
  own: GitWhere,
): Promise<RunLife | undefined> {
  for (const life of lives.toReversed()) {
    if (life.task === id) return life.back === true ? undefined : life;
    if (life.landed === undefined) continue;
    const { code } = await git(['merge-base', '--is-ancestor', commit, life.landed], own);
    if (code === 0) return life;
  }
  return undefined;
}

/** The state on which a change landed. @throws GitFailure */
async function parentOf(commit: string, own: GitWhere): Promise<string> {
  const parent = await commitOf(`${commit}^1`, own);
  if (parent === undefined) throw new GitFailure(`${commit} stands on no other commit`);
  return parent;
}

/** The first task whose change, applied with it, it cannot be taken out of. */
async function builtOn(
  files: readonly string[],
  { from, to }: { readonly from: string; readonly to: string },
  own: GitWhere,
): Promise<string | undefined> {
  const format = '--format=%H %(trailers:key=Teams-Task,valueonly,separator=%x2C)';
  const paths = files.map((path) => `:(top,literal)${path}`);
  const before = await parentOf(from, own);
  const listed = await git(['log', '--first-parent', '--reverse', '-m', format, `${from}..${to}`, '--', ...paths], own);
  for (const row of requireGit(listed, 'git log').split('\n')) {
    const [state = '', task] = row.split(' ');
    if (state === '') continue;
    const { conflicts } = await changeOnTop(await treeOf(state, own), { from, to: before }, own);
    if (conflicts.length > 0) return task;
  }
  return undefined;
}

const edited = ({ id }: Task, done: string, files: readonly string[]): ConflictError =>
  new ConflictError(
    'REFUSED',
    `The change of task #${id} was not ${done}: ${listedFiles(files)} ${files.length === 1 ? 'was' : 'were'} changed at the same place since. Take your own edits there out (keep a copy of the file), and repeat the command.`,
  );

const builtUpon = (team: string, { id }: Task, later: string, files: readonly string[]): ConflictError =>
  new ConflictError(
    'REFUSED',
    `The change of task #${id} was not taken back: task #${later} built on it (${listedFiles(files)}). Take #${later} back first, or the whole: \`teams undo ${team}\`.`,
  );

/** @throws as `carryOutApply` */
export const carryOutTaskUndo = (
  { paths }: TeamReader,
  plan: ApplyPlan,
  { redo, store }: { readonly redo: boolean; readonly store: StoreOptions },
  signal: AbortSignal,
): Promise<void> => carryOutUndo(paths, plan, { redo: true, told: redo ? 'run.redone' : 'run.undone', store }, signal);
