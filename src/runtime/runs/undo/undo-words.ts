/** What a person is told of an undo or a redo that was refused, has nothing to do, or did not end. */
import { resolve } from 'node:path';
import { ConflictError } from '../../../model/text/errors.ts';
import type { Undoing } from '../../../model/run/run-state.ts';
import type { Name } from '../../../model/text/names.ts';
import { shownPath } from '../../../model/text/safe-text.ts';
import { isBehindFolder, type Repository } from '../../process/git-place.ts';
import { quotedWord } from '../../process/git.ts';
import type { RunChange } from './run-changes.ts';
import type { SeenStep } from './undo-steps.ts';

/** What a person is told between the kill of an undo, a redo or an apply, and its end. */
export function interruptedUndo(team: Name, undoing: Undoing): string {
  const { redo, adds } = undoing;
  const { task } = adds ?? undoing;
  const isBack = adds === undefined ? !redo : adds.back === true;
  const what = task === undefined ? 'this run' : `task #${task}`;
  const begun = isBack
    ? `Taking back what ${what} changed in your files`
    : `Bringing what ${what} changed into your files`;
  const undo = `teams undo ${team}${undoing.task === undefined ? '' : ` ${undoing.task}`}`;
  const [finishes, goesBack] = redo ? [`${undo} --redo`, undo] : [undo, `${undo} --redo`];
  return `${begun} did not end: some files are as the run left them, some as they were before. \`${finishes}\` finishes it, \`${goesBack}\` goes back.`;
}

/** Why there is nothing to do. */
export type Idle =
  /** With trees: nothing was ever applied. */
  | { readonly kind: 'never-brought' }
  /** An undo of a run that was taken back, or a redo of one that was not. */
  | { readonly kind: 'turned-before' }
  | { readonly kind: 'changed-nothing' }
  /** @property others some files are left */
  | { readonly kind: 'in-place'; readonly others: boolean };

/** @param what is asked about: a team, or a task of it */
export function nothingToDo(idle: Idle, what: string, redo: boolean): string {
  switch (idle.kind) {
    case 'never-brought':
      return `Nothing to do: no change of ${what} was brought into your files.`;
    case 'turned-before':
      return redo
        ? `Nothing to do: there is no undo of ${what} to take back.`
        : `Nothing to do: what ${what} changed was taken back before.`;
    case 'changed-nothing':
      return `Nothing to do: ${what} changed no file.`;
    case 'in-place': {
      const files = idle.others ? 'every other file' : 'every file';
      return `Nothing to do: ${files} ${redo ? `is as ${what} left it` : `that ${what} changed is as it was before`}.`;
    }
  }
}

/** Why a file is not as an undo or a redo that ended before left it. */
export function whyOtherwise({ isFree, isGone, obstacle }: SeenStep): string {
  if (isFree) return 'no undo took its change back';
  return isGone && obstacle === undefined ? 'it was removed since' : 'it was changed since';
}

/** A step that is not free, and its change. */
export type RefusedStep = SeenStep & Pick<RunChange, 'commits' | 'isBroken'>;

/** @param refused at least one */
export function changedSince(
  team: Name,
  { refused, redo, repository }: { refused: readonly RefusedStep[]; redo: boolean; repository: Repository },
): ConflictError {
  const isRemoved = ({ isGone, obstacle }: RefusedStep): boolean => isGone && obstacle === undefined;
  const changed = namesOf(refused.filter((step) => !isRemoved(step)));
  const removed = namesOf(refused.filter(isRemoved));
  const said = [
    ...(changed.length === 0 ? [] : [`${listed(changed)} ${changed.length === 1 ? 'was' : 'were'} changed since`]),
    ...(removed.length === 0 ? [] : [`${listed(removed)} ${removed.length === 1 ? 'was' : 'were'} removed since`]),
  ];
  return new ConflictError(
    'REFUSED',
    `Nothing was ${redo ? 'brought' : 'taken'} back: ${said.join(', and ')}. ${cureOf(refused, redo, repository)}, and repeat the command; \`teams diff ${team}\` shows what the run did.`,
  );
}

/**
 * What makes each file one that is free: none, where the step makes or removes one; else the one that the step changes,
 * or where the user changed it between two lives, the one that the step would leave.
 */
function cureOf(refused: readonly RefusedStep[], redo: boolean, repository: Repository): string {
  const isAway = ({ from, to, obstacle, isBroken }: RefusedStep): boolean =>
    obstacle !== undefined || to === null || (from === null && !isBroken);
  const away = namesOf(refused.filter((step) => isAway(step) || step.isFolder));
  const parts = away.length === 0 ? [] : [`move ${listed(away)} away`];
  for (const isBroken of [false, true]) {
    const steps = refused.filter((step) => !isAway(step) && step.isBroken === isBroken);
    if (steps.length === 0) continue;
    const names = namesOf(steps);
    const [it, was] = names.length === 1 ? ['it', 'it was'] : ['them', 'they were'];
    const as = isBroken === redo ? `as the run left ${it}` : `as ${was} before the run`;
    const [commit = ''] = steps.map(({ commits }) => (isBroken ? commits.to : commits.from));
    parts.push(`put ${listed(names)} back ${as} (${restoring(commit, names, repository)})`);
  }
  const words = parts.join(', and ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

const namesOf = (steps: readonly RefusedStep[]): string[] =>
  [...new Set(steps.map(({ path, obstacle = path }) => obstacle))].sort();

/** As much of a commit's name as no other one has. */
const SHORT = 16;

/** The command that overwrites files with those of a commit. */
function restoring(commit: string, [path = '', ...others]: readonly string[], repository: Repository): string {
  const { top, place } = repository;
  const isShown = others.length === 0 && shownPath(path) === path;
  const which = isShown ? quotedWord(`:(top,literal)${path}`) : 'FILE';
  const own = isBehindFolder(repository)
    ? ` --git-dir=${quotedWord(resolve(top, place.directory))} --work-tree=${quotedWord(top)}`
    : '';
  return `\`git${own} restore --source=${commit.slice(0, SHORT)} --worktree -- ${which}\`; keep a copy of your own first`;
}

const MOST_LISTED = 5;

const listed = (paths: readonly string[]): string =>
  paths.slice(0, MOST_LISTED).map(shownPath).join(', ') +
  (paths.length > MOST_LISTED ? ` and ${paths.length - MOST_LISTED} more` : '');
