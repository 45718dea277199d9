/**
 * Takes back what a run changed, and nothing else (docs/specification.md R8.23): for each life of the run, last first,
 * the difference between its start and its end. A file that was changed since is not touched, and nothing is done. Each
 * file goes from exactly what the run left to exactly what it found, so a killed undo is finished by repeating it, and
 * the same steps backwards are the redo. A redo takes the undo back: a file that the undo found taken back by hand is
 * left by both.
 */
import { join, posix, resolve } from 'node:path';
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import type { GitPlace, RunLife, RunState, Undoing } from '../../../model/run/run-state.ts';
import { isOlder } from '../../../store/workspace/user-files.ts';
import { ownDocuments, stateIn, type TeamReader, cwdOf } from '../../../store/team/team-reader.ts';
import { GitFailure, isNamed, type TreeChange } from '../../process/git-tree.ts';
import { git, type GitWhere } from '../../process/git.ts';
import { repositoryAt, within, type Repository } from '../../process/git-place.ts';
import { otherTeams } from '../../process/worktrees.ts';
import { knownOf, noSafetyPoint, rootIn, type SafetyPoint } from '../../process/safety-ref.ts';
import { triedAgain } from '../../process/try-again.ts';
import { leadStatusOf } from '../../views/external-status.ts';
import { keepLateEnd } from './late-end.ts';
import { filteredIn, runChanges, type EndedLife, type RunChange } from './run-changes.ts';
import { namedBy } from './task-files.ts';
import { stepsAt, type SeenStep, type UndoStep } from './undo-steps.ts';
import { changedSince, interruptedUndo, nothingToDo, whyOtherwise, type Idle, type RefusedStep } from './undo-words.ts';

/** What an undo or a redo would do. */
export interface UndoPlan {
  /** The root of the working tree. */
  readonly top: string;
  readonly place: GitPlace;
  readonly steps: readonly UndoStep[];
  /** Files that stay as they are, also if it goes back: as `Undoing` has them, relative to `top`. */
  readonly kept: readonly string[];
  /** Files that stay: changed in the same time, but not surely by the run; or not as an earlier undo or redo left them. */
  readonly left: readonly LeftFile[];
  /** Lives whose end was not kept, because the lead was killed: later changes count as the run's. */
  readonly isEndUnknown: boolean;
  /** The lives after it. */
  readonly lives: readonly RunLife[];
  /** The present lives, each with its end. */
  readonly ended: readonly RunLife[];
  /** The state of the run that it was made from. */
  readonly seen: string;
  /** An undo, a redo or an apply that was begun and did not end; this plan finishes it, or goes back. */
  readonly begun: Undoing | undefined;
  /** What its own beginning is noted with. */
  readonly kind: Pick<Undoing, 'task' | 'adds'>;
  /** Why there is nothing to do, if there is not. */
  readonly nothing: string;
}

export interface LeftFile {
  readonly path: string;
  /** A clause. */
  readonly why: string;
}

interface UndoChoice {
  /** Only this task's change. */
  readonly task?: Task | undefined;
  readonly redo: boolean;
}

/**
 * @throws UsageError `USAGE` for a team without a safety point; ConflictError `LEAD_ALIVE` for a running team,
 *   `REFUSED` naming the files that were changed since, or the tasks that changed the same files; StoreError `UNTRUSTED`
 */
export async function planUndo(reader: TeamReader, choice: UndoChoice, signal: AbortSignal): Promise<UndoPlan> {
  const store = ownDocuments(reader);
  const { name } = store.paths;
  const { start, lives: kept, undoing } = stateIn(store) ?? {};
  if (start === undefined)
    throw new UsageError(
      'USAGE',
      `Team ${name} has no safety point, so nothing can be taken back: ${noSafetyPoint(name)}.`,
    );
  // With trees a life is an apply: before the first one nothing in these files is the team's.
  const first = store.config.read()?.isolation === 'trees' ? [] : [{ start: start.commit }];
  const lives: readonly RunLife[] = kept ?? first;
  if (leadStatusOf(store).alive)
    throw new ConflictError('LEAD_ALIVE', `Team ${name} is running; \`teams cancel ${name}\` ends it, then undo.`);
  const begun = undoing?.lives === lives.length ? undoing : undefined;
  // The other command would leave the files of this one as they are, and forget that they are half done.
  if (begun !== undefined && begun.task !== choice.task?.id)
    throw new ConflictError('REFUSED', interruptedUndo(name, begun));
  try {
    return await plan(store, { ...choice, lives, start, begun }, signal);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError('USAGE', `The changes of team ${name} are unknown: ${error.message}.`);
  }
}

interface Ask extends UndoChoice {
  readonly lives: readonly RunLife[];
  readonly start: SafetyPoint;
  readonly begun: Undoing | undefined;
}

async function plan(store: TeamReader, ask: Ask, signal: AbortSignal): Promise<UndoPlan> {
  const { task, redo, lives, start, begun } = ask;
  const { leftOut } = start;
  const { name } = store.paths;
  const repository = await repositoryAt({ cwd: cwdOf(store), signal }, knownOf(store, start));
  if (typeof repository === 'string') throw new GitFailure(repository);
  const { top, place } = repository;
  const where = within(repository, { signal });
  const all = await livesHere(store, turnedBy(ask), repository, where);
  // If none is left to turn, what is there is compared with all of them.
  const isIdle = all.length === 0 && lives.length > 0;
  const chosen = isIdle ? lives : all;
  const isEndUnknown = !redo && all.at(-1) !== undefined && all.at(-1)?.end === undefined;
  const keepNow = (life: RunLife): Promise<string> => {
    const late = { life: lives.indexOf(life) + 1, start: life.start, leftOut };
    return triedAgain(() => keepLateEnd(store, repository, late, signal));
  };
  const ended: EndedLife[] = [];
  for (const life of chosen) {
    const end = life.end ?? lives[lives.indexOf(life) + 1]?.start ?? (isIdle ? undefined : await keepNow(life));
    if (end !== undefined) ended.push({ ...life, end });
  }
  const keptBefore = new Set(begun?.kept);
  const isKept = (path: string, life: EndedLife): boolean =>
    keptBefore.has(path) || (redo && task === undefined && life.kept?.includes(path) === true);
  const { changes, kept } = await runChanges(ended, redo, isKept, where);
  const whySure = reasons(store, repository, ask, ended, changes);
  const filtered = await filteredIn(ended, changes, where);
  const whyLeft = (change: RunChange): string | undefined => (filtered.has(change.path) ? FILTERED : whySure(change));
  const unsure = changes.flatMap((change): LeftFile[] => {
    const why = whyLeft(change);
    return why === undefined ? [] : [{ path: change.path, why }];
  });
  const stays = new Set(unsure.map(({ path }) => path));
  const moving = changes.filter(({ path }) => !stays.has(path));
  const seen = stepsAt(top, moving, begun?.token);
  const byHand = stepsAt(top, kept, begun?.token).flatMap(({ path, isDone }): LeftFile[] =>
    isDone ? [] : [{ path, why: BY_HAND }],
  );
  const refused = seen.flatMap((step, at): RefusedStep[] => {
    const { commits = { from: '', to: '' }, isBroken = false } = moving[at] ?? {};
    return step.isFree && (step.isDone || !isBroken) ? [] : [{ ...step, commits, isBroken }];
  });
  if (!isIdle && refused.length > 0) throw changedSince(name, { refused, redo, repository });
  const endOf = (life: RunLife): EndedLife | undefined => ended.find(({ start }) => start === life.start);
  const turns = (life: RunLife): boolean => task === undefined && all.includes(life);
  // What of the run's is there again is taken back again. A redo has no undo to take back.
  const isOpen = (step: SeenStep): boolean => step.isFree && (!isIdle || !redo || begun !== undefined);
  const steps = seen.filter(isOpen);
  const others = seen.flatMap((step): LeftFile[] =>
    step.isDone || isOpen(step) ? [] : [{ path: step.path, why: whyOtherwise(step) }],
  );
  const left = isIdle ? others : task === undefined ? [...unsure, ...byHand] : [];
  const what = task === undefined ? `team ${name}` : `task #${task.id} of team ${name}`;
  return {
    top,
    place,
    steps,
    kept: isIdle ? seen.flatMap(({ path, isDone, isFree }) => (isDone || !isFree ? [path] : [])) : [],
    left,
    isEndUnknown,
    lives: lives.map((life) => (turns(life) ? turned(life, endOf(life), redo) : life)),
    ended: isIdle ? lives : lives.map((life) => endOf(life) ?? life),
    seen: seenOf(stateIn(store)),
    begun,
    kind: task === undefined ? {} : { task: task.id },
    nothing: nothingToDo(whyIdle({ lives, isIdle, changes, left }), what, redo),
  };
}

const FILTERED = 'a filter of git (such as LFS) stands between it and its content, and such files are too large in all';
const BY_HAND = 'you had taken its change back before the undo';

function whyIdle(found: {
  readonly lives: readonly RunLife[];
  readonly isIdle: boolean;
  readonly changes: readonly RunChange[];
  readonly left: readonly LeftFile[];
}): Idle {
  if (found.lives.length === 0) return { kind: 'never-brought' };
  if (found.isIdle) return { kind: 'turned-before' };
  if (found.changes.length === 0 && found.left.length === 0) return { kind: 'changed-nothing' };
  return { kind: 'in-place', others: found.left.length > 0 };
}

/** The lives of which files are changed. One task's change is in any of them, whatever was taken back with the whole. */
function turnedBy({ task, redo, lives, begun }: Ask): readonly RunLife[] {
  if (task !== undefined) return lives;
  // What was begun is finished, or goes back: the other way over the same lives.
  const turnsBack = begun !== undefined && begun.redo !== redo;
  return lives.filter(({ undone = false }) => undone === (turnsBack ? begun.redo : redo));
}

/** Why a change is not surely the run's, or the task's; a clause. */
function reasons(
  store: TeamReader,
  { top, prefix }: Repository,
  { task, redo, start }: Ask,
  ended: readonly EndedLife[],
  changes: readonly RunChange[],
): (change: TreeChange) => string | undefined {
  const isApart = store.config.read()?.isolation === 'trees' && task === undefined;
  // With trees a life is an apply, which wrote nothing else.
  const isIts = isApart ? () => true : namedBy(store, task);
  // A file that git ignored when the run began was not kept, and looks new where the run changed what is ignored.
  const mayBeIgnored = changes.some(({ path }) => path.endsWith('.gitignore'));
  const moved = new Set(changes.flatMap(({ from, to }) => (from === null && to !== null ? [to.hash] : [])));
  const isOlderFile = ({ path, from, to }: TreeChange): boolean =>
    !isApart &&
    mayBeIgnored &&
    to === null &&
    !moved.has(from?.hash ?? '') &&
    isOlder(join(top, path), ended[0]?.since);
  const large = new Set([...(start.leftOut ?? []), ...ended.flatMap((life) => life.leftOut ?? [])]);
  return (change) => {
    const { path } = change;
    if (!isNamed(path)) return 'its name is not UTF-8 or has U+FFFD in it';
    if (large.has(path)) return 'it was too large to keep';
    if (!isIts(posix.relative(prefix, path))) return 'no task named it';
    return !redo && isOlderFile(change) ? 'it is older than the run' : undefined;
  };
}

/**
 * Without the lives of the original, if the team was copied within its repository: those changed files there.
 *
 * @throws ConflictError `REFUSED` if all are the original's
 */
async function livesHere(
  { board, paths }: TeamReader,
  lives: readonly RunLife[],
  { top }: Repository,
  where: GitWhere,
): Promise<RunLife[]> {
  const own: RunLife[] = [];
  let original: string | undefined;
  for (const life of lives) {
    const { code, text: message } = await git(['show', '--no-patch', '--format=%B', life.start], where);
    const root = code === 0 ? rootIn(message) : undefined;
    const others = otherTeams(
      { id: board.fold().team?.id ?? '', root: paths.root },
      root === undefined ? [] : [resolve(top, root)],
    );
    if (others.size === 0) own.push(life);
    else [original] = others;
  }
  if (original !== undefined && own.length === 0)
    throw new ConflictError(
      'REFUSED',
      `Nothing was taken back: this team is a copy of the one in ${original}, whose run changed files there. Run \`teams undo ${paths.name}\` there.`,
    );
  return own;
}

/** What a plan stands on; another undo or apply changes it. */
export const seenOf = (state: Pick<RunState, 'lives' | 'undoing'> | undefined): string =>
  JSON.stringify([state?.lives ?? [], state?.undoing ?? null]);

/** @param ended the same life with its end */
function turned(life: RunLife, ended: EndedLife | undefined, redo: boolean): RunLife {
  const { undone: _, kept: __, ...rest } = ended ?? life;
  return redo ? rest : { ...rest, undone: true };
}
