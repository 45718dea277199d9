/**
 * Makes the change between two states of a team in the user's files as they are now. A conflict with an edit of the
 * user's changes nothing. Each such change is kept as a life of the run, so that a killed one is finished or taken back
 * like an undo (docs/isolation.md).
 */
import { shownPath } from '../../../model/text/safe-text.ts';
import { ConflictError, StoreError, UsageError } from '../../../model/text/errors.ts';
import type { RunLife } from '../../../model/run/run-state.ts';
import type { Name } from '../../../model/text/names.ts';
import { newId } from '../../../store/files/new-ids.ts';
import { quotedForGit } from '../../../store/files/scratch.ts';
import { cwdOf, ownDocuments, stateIn, type TeamReader } from '../../../store/team/team-reader.ts';
import { mirror } from '../../landing/mirror.ts';
import { GitFailure, isNamed, treeChanges, type TreeChange } from '../../process/git-tree.ts';
import { withTrees } from '../../process/working-tree.ts';
import { repositoryAt } from '../../process/git-place.ts';
import type { GitWhere } from '../../process/git.ts';
import { knownOf } from '../../process/safety-ref.ts';
import { hasNoRoom } from '../../process/retry-disk.ts';
import { triedAgain } from '../../process/try-again.ts';
import { changeOnTop } from '../../trees/change-on-top.ts';
import { keepCommit } from '../../trees/kept-objects.ts';
import { inVault, VaultRefs } from '../../trees/vault.ts';
import { commitTree, treeOf } from '../../trees/vault-commits.ts';
import { leadStatusOf } from '../../views/external-status.ts';
import { interruptedUndo } from '../undo/undo-words.ts';
import { seenOf, type UndoPlan } from '../undo/undo.ts';
import { inTheWay, stepsAt } from '../undo/undo-steps.ts';

/** What a change of the user's files would do. */
export interface ApplyPlan extends UndoPlan {
  /** How many changes of tasks it brings. */
  readonly landed: number;
}

/** A change of the user's files: from one state of the team to another. */
export interface FilesChange extends Pick<RunLife, 'landed' | 'task' | 'back'> {
  readonly from: string;
  readonly to: string;
  /** How many changes of tasks it is. */
  readonly count: number;
  /** What is told if the user's files have it. */
  readonly nothing: string;
  /** Why nothing is done where the user's files do not fit. */
  readonly refusal: (files: readonly string[]) => Promise<ConflictError> | ConflictError;
}

/** What a change is chosen by: the team, and what was applied to the files and not taken back, oldest first. */
type ChooseChange = (store: TeamReader, lives: readonly RunLife[]) => Promise<FilesChange>;

/** Who asks for a change. */
interface Asker {
  /** This process leads the team, so that it may run. */
  readonly leads?: boolean | undefined;
}

/**
 * @throws UsageError `USAGE` for a team without trees; ConflictError `LEAD_ALIVE` for a running team, `REFUSED` naming
 *   the files that were edited at the same place, and after an apply or undo that did not end; StoreError `NO_SPACE`
 */
export async function planChange(
  reader: TeamReader,
  choose: ChooseChange,
  signal: AbortSignal,
  { leads = false }: Asker = {},
): Promise<ApplyPlan> {
  const store = ownDocuments(reader);
  const { name } = store.paths;
  const { start, lives = [], undoing } = stateIn(store) ?? {};
  if (store.config.read()?.isolation !== 'trees')
    throw new UsageError(
      'USAGE',
      `The members of team ${name} have no trees of their own: they wrote into your files. \`teams diff ${name}\` shows what changed.`,
    );
  if (!leads && leadStatusOf(store).alive)
    throw new ConflictError(
      'LEAD_ALIVE',
      `Team ${name} is running; \`teams wait ${name}\` waits for its end, then apply.`,
    );
  if (undoing !== undefined) throw new ConflictError('REFUSED', interruptedUndo(name, undoing));
  if (start === undefined) throw new UsageError('USAGE', `Nothing of team ${name} has landed: it was never run.`);
  try {
    const before = lives.filter(({ undone = false }) => !undone);
    const beginning = { before, known: knownOf(store, start), leftOut: start.leftOut, choose };
    return await triedAgain(() => plan(store, beginning, signal));
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    if (hasNoRoom(error))
      // What the store says has the cure already, what git says has not.
      throw new StoreError('NO_SPACE', `Nothing was changed: ${error.message.replace(CURED, '')}; ${CURE}.`);
    throw new UsageError('USAGE', `What landed in team ${name} is unknown: ${error.message}.`);
  }
}

const CURE = 'free some space and try again';
const CURED = new RegExp(`[:;] ${CURE}\\.?$`);

interface Beginning {
  readonly before: readonly RunLife[];
  readonly known: ReturnType<typeof knownOf>;
  readonly leftOut: readonly string[] | undefined;
  readonly choose: ChooseChange;
}

async function plan(
  store: TeamReader,
  { before, known, leftOut, choose }: Beginning,
  signal: AbortSignal,
): Promise<ApplyPlan> {
  const { paths, clock } = store;
  const repository = await repositoryAt({ cwd: cwdOf(store), signal }, known);
  if (typeof repository === 'string') throw new GitFailure(repository);
  const own = inVault(paths, { signal });
  const { from, to, count, nothing, refusal, landed, task, back } = await choose(store, before);
  const { changes, ended, absent } = await withTrees(repository, { signal }, { leftOut }, async (trees, scratch) => {
    const { files, absent } = trees;
    // What git reads may be of elsewhere, where a folder is exchanged for a link, and members read the team's repository.
    const here = { ...own, env: { ...own.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedForGit(scratch) } };
    const since = clock.now();
    const now = commitTree(
      { tree: files, parents: [from], message: `All files before an apply of team ${paths.name}` },
      here,
    );
    const merged = await changeOnTop(files, { from, to }, here);
    if (merged.conflicts.length > 0) throw await refusal(merged.conflicts);
    const after = commitTree({ tree: merged.tree, parents: [now, to], message: `All files after it` }, here);
    const changes = (await treeChanges(files, await treeOf(after, here), here)).filter(isFile);
    const unnamed = changes.flatMap(({ path }) => (isNamed(path) ? [] : [path]));
    if (unnamed.length > 0) throw unwritable(paths.name, unnamed, back);
    const ended = { start: now, end: after, since, landed, task, back };
    // What the files have already counts as applied, too.
    if (changes.length > 0 || landed !== undefined) await keepBoth(store, { ...ended, from }, here);
    return { changes, ended, absent };
  });
  const steps = stepsAt(repository.top, changes);
  const edited = inTheWay(steps);
  const outside = edited.filter((path) => absent.has(path));
  if (outside.length > 0) throw notOnDisk(outside);
  if (edited.length > 0) throw await refusal(edited);
  return {
    top: repository.top,
    place: repository.place,
    steps,
    kept: [],
    left: [],
    isEndUnknown: false,
    lives: [...before, ended],
    ended: [...before, { ...ended, undone: true }],
    seen: seenOf(stateIn(store)),
    begun: undefined,
    kind: { adds: { task, back } },
    nothing,
    landed: count,
  };
}

/** Git keeps a name of any bytes; written from here, it would be the name of another file. */
function unwritable(team: Name, files: readonly string[], back = false): ConflictError {
  const cure = back ? '' : ` \`teams apply ${team} --branch BRANCH\` makes a branch of it.`;
  const why = `the name of ${listedFiles(files)} is not UTF-8 or has U+FFFD in it, and teams would write it as another one.`;
  return new ConflictError('REFUSED', `Nothing was changed: ${why}${cure}`);
}

/** Of a sparse checkout, or with the bit by which git need not have them on the disk. */
const notOnDisk = (files: readonly string[]): ConflictError =>
  new ConflictError(
    'REFUSED',
    `Nothing was changed: ${listedFiles(files)} would change, and git is told to leave that out of your files. Bring it there (\`git sparse-checkout add FOLDER\`, or \`git update-index --no-skip-worktree FILE\` and \`git restore FILE\`), and try again.`,
  );

const isFile = ({ from, to }: TreeChange): boolean => from?.mode !== '160000' && to?.mode !== '160000';

/** Both ends lie in the project's own repository before a file is changed. @throws GitFailure */
async function keepBoth(
  store: TeamReader,
  { from, start, end }: { from: string; start: string; end: string },
  where: GitWhere,
): Promise<void> {
  const refs = new VaultRefs(store);
  const id = newId(store.clock.now());
  await keepCommit(store.paths, { refs: [refs.applied(id, 'start')], commit: start, known: from }, where);
  await keepCommit(store.paths, { refs: [refs.applied(id, 'end')], commit: end, known: start }, where);
  const trouble = await mirror(store, refs.all, { signal: where.signal });
  if (trouble !== undefined) throw new GitFailure(trouble);
}

const MOST_LISTED = 5;

export const listedFiles = (files: readonly string[]): string =>
  files.slice(0, MOST_LISTED).map(shownPath).join(', ') +
  (files.length > MOST_LISTED ? ` and ${files.length - MOST_LISTED} more` : '');
