/**
 * Takes back what a run changed, and nothing else (docs/specification.md R8.23): for each life of the run, last first,
 * the difference between its start and its end. A file that was changed since is not touched, and nothing is done. Each
 * file goes from exactly what the run left to exactly what it found, so a killed undo is finished by repeating it, and
 * the same steps backwards are the redo.
 */
import { shownPath } from '../../model/text/safe-text.ts';
import { join, posix, resolve } from 'node:path';
import { ConflictError, UsageError } from '../../model/text/errors.ts';
import type { Task } from '../../model/board/task.ts';
import type { GitPlace, RunLife, RunState, Undoing } from '../../model/run/run-state.ts';
import type { Name } from '../../model/text/names.ts';
import { matcher } from '../../policy/file-patterns.ts';
import { isOlder, isSame, type TreeEntry } from '../../store/workspace/user-files.ts';
import { ownDocuments, stateIn, type TeamReader, cwdOf } from '../../store/team/team-reader.ts';
import { GitFailure, isNamed, treeChanges, type TreeChange } from '../process/git-tree.ts';
import { git, type GitWhere } from '../process/git.ts';
import { repositoryAt, within, type Repository } from '../process/git-place.ts';
import { otherTeams } from '../process/worktrees.ts';
import { knownOf, noSafetyPoint, rootIn, type SafetyPoint } from '../process/safety-ref.ts';
import { triedAgain } from '../process/try-again.ts';
import { leadStatusOf } from '../views/external-status.ts';
import { inTheWay, stepsAt, type UndoStep } from '../process/undo-steps.ts';
import { keepLateEnd } from './late-end.ts';

/** What an undo or a redo would do. */
export interface UndoPlan {
  /** The root of the working tree. */
  readonly top: string;
  readonly place: GitPlace;
  readonly steps: readonly UndoStep[];
  /** Changed in the same time, but not surely by the run: they stay. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
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
  try {
    const begun = undoing?.lives === lives.length ? undoing : undefined;
    return await plan(store, { ...choice, lives, start, begun }, signal);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError('USAGE', `The changes of team ${name} are unknown: ${error.message}.`);
  }
}

/** What a person is told between the kill of an undo, a redo or an apply, and its end. */
export const interruptedUndo = (team: Name, { redo }: Undoing): string =>
  `${redo ? 'Bringing what this run changed into your files' : 'Taking back what this run changed in your files'} did not end: some files are as the run left them, some as they were before. \`teams undo ${team}${redo ? ' --redo' : ''}\` finishes it, \`teams undo ${team}${redo ? '' : ' --redo'}\` goes back.`;

interface Ask extends UndoChoice {
  readonly lives: readonly RunLife[];
  readonly start: SafetyPoint;
  readonly begun: Undoing | undefined;
}

async function plan(
  store: TeamReader,
  { task, redo, lives, start, begun }: Ask,
  signal: AbortSignal,
): Promise<UndoPlan> {
  const { leftOut } = start;
  const repository = await repositoryAt({ cwd: cwdOf(store), signal }, knownOf(store, start));
  if (typeof repository === 'string') throw new GitFailure(repository);
  const { top, prefix } = repository;
  const where = within(repository, { signal });
  // What was begun is finished, or goes back: the other way over the same lives.
  const turnsBack = begun !== undefined && begun.redo !== redo;
  const present = lives.filter(({ undone = false }) => undone === (turnsBack ? begun.redo : redo));
  const chosen = await livesHere(store, present, repository, where);
  const isEndUnknown = !redo && chosen.at(-1) !== undefined && chosen.at(-1)?.end === undefined;
  const keepNow = (life: RunLife): Promise<string> => {
    const late = { life: lives.indexOf(life) + 1, start: life.start, leftOut };
    return triedAgain(() => keepLateEnd(store, repository, late, signal));
  };
  const ended: (RunLife & { readonly end: string })[] = [];
  for (const life of chosen)
    ended.push({ ...life, end: life.end ?? lives[lives.indexOf(life) + 1]?.start ?? (await keepNow(life)) });
  const chain = new Map<string, TreeChange>();
  const broken: string[] = [];
  for (const { start, end } of redo ? ended : ended.toReversed()) {
    const [from, to] = redo ? [start, end] : [end, start];
    for (const change of await treeChanges(from, to, where)) {
      const before = chain.get(change.path);
      // A person changed it between two lives.
      if (before !== undefined && !isSame(before.to, change.from) && isNamed(change.path)) broken.push(change.path);
      chain.set(change.path, before === undefined ? change : { ...change, from: before.from });
    }
  }
  const large = new Set([...(leftOut ?? []), ...ended.flatMap((life) => life.leftOut ?? [])]);
  const whyLeft = (path: string): string | undefined => {
    if (!isNamed(path)) return 'its name is not UTF-8 or has U+FFFD in it';
    return large.has(path) ? 'it was too large to keep' : undefined;
  };
  const here = (path: string): string => posix.relative(prefix, path);
  const isApart = store.config.read()?.isolation === 'trees' && task === undefined;
  // With trees a life is an apply, which wrote nothing else.
  const isIts = isApart ? () => true : namedBy(store, task);
  const all = [...chain.values()].filter(({ from, to }) => !isSame(from, to) && !isModule(from) && !isModule(to));
  // A file that git ignored when the run began was not kept, and looks new where the run changed what is ignored.
  const mayBeIgnored = all.some(({ path }) => path.endsWith('.gitignore'));
  const moved = new Set(all.flatMap(({ from, to }) => (from === null && to !== null ? [to.hash] : [])));
  const isOlderFile = ({ path, from, to }: TreeChange): boolean =>
    !isApart &&
    mayBeIgnored &&
    to === null &&
    !moved.has(from?.hash ?? '') &&
    isOlder(join(top, path), ended[0]?.since);
  const left = all.flatMap((change) => {
    const { path } = change;
    const why = whyLeft(path) ?? (isIts(here(path)) ? undefined : 'no task named it');
    const older = !redo && isOlderFile(change) ? 'it is older than the run' : undefined;
    return why === undefined && older === undefined ? [] : [{ path, why: why ?? older ?? '' }];
  });
  const stays = new Set(left.map(({ path }) => path));
  const moving = all.filter(({ path }) => !stays.has(path));
  const steps = stepsAt(top, moving, begun?.token);
  const changed = [...new Set([...inTheWay(steps), ...broken])].sort();
  if (changed.length > 0)
    throw new ConflictError(
      'REFUSED',
      `Nothing was ${redo ? 'done' : 'taken back'}: ${listed(changed)} ${changed.length === 1 ? 'was' : 'were'} changed since. Move ${changed.length === 1 ? 'it' : 'them'} away, or undo by hand: \`teams diff ${store.paths.name}\` shows what the run did.`,
    );
  const after = task === undefined ? lives.map((life) => turned(life, ended[chosen.indexOf(life)], redo)) : lives;
  const withEnds = lives.map((life) => ended[chosen.indexOf(life)] ?? life);
  return {
    top,
    place: repository.place,
    steps,
    left: task === undefined ? left : [],
    isEndUnknown,
    lives: after,
    ended: withEnds,
    seen: seenOf(stateIn(store)),
    begun,
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

const isModule = (entry: TreeEntry): boolean => entry?.mode === '160000';

/** @param ended the same life with its end, if it was chosen */
function turned(life: RunLife, ended: RunLife | undefined, redo: boolean): RunLife {
  if (ended === undefined) return life;
  const { undone: _, ...rest } = ended;
  return redo ? rest : { ...rest, undone: true };
}

const MOST_LISTED = 5;
const listed = (paths: readonly string[]): string =>
  paths.slice(0, MOST_LISTED).map(shownPath).join(', ') +
  (paths.length > MOST_LISTED ? ` and ${paths.length - MOST_LISTED} more` : '');

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
function namedBy(store: TeamReader, task: Task | undefined): (path: string) => boolean {
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
