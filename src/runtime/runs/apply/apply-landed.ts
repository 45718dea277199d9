/**
 * Brings what landed into the project's files: the user's files as they are now, merged with the common state since the
 * last apply. A conflict with an edit of the user's changes nothing. Each apply is kept as a life of the run, so that
 * `teams undo` takes exactly it back, and a killed one is finished or taken back like an undo (docs/isolation.md).
 */
import { join } from 'node:path';
import { ConflictError, UsageError } from '../../../model/text/errors.ts';
import type { Task } from '../../../model/board/task.ts';
import type { RunLife } from '../../../model/team/team-config.ts';
import { newId } from '../../../store/files/new-ids.ts';
import { cwdOf, ownDocuments, stateIn, type TeamReader } from '../../../store/team/team-reader.ts';
import type { StoreOptions } from '../../../store/team/team-store.ts';
import { mirror } from '../../landing/mirror.ts';
import { GitFailure, treeChanges, withTrees, type TreeChange } from '../../process/git-tree.ts';
import { repositoryAt } from '../../process/git-place.ts';
import { knownOf } from '../../process/safety-ref.ts';
import { triedAgain } from '../../process/try-again.ts';
import { landedWork } from '../../trees/landed-work.ts';
import { commitTree, inVault, keepCommit, mergeTrees, treeOf, VaultRefs } from '../../trees/vault.ts';
import { leadStatusOf } from '../../views/external-status.ts';
import { carryOutUndo } from '../carry-out-undo.ts';
import { interruptedUndo, seenOf, stepAt, type UndoPlan } from '../undo.ts';

/** What an apply would do. */
export interface ApplyPlan extends UndoPlan {
  /** How many changes of tasks it brings. */
  readonly landed: number;
}

/**
 * @throws UsageError `USAGE` for a team without trees; ConflictError `LEAD_ALIVE` for a running team, `REFUSED` naming
 *   the files that were edited at the same place, and after an apply or undo that did not end
 */
export async function planApply(
  reader: TeamReader,
  { task }: { readonly task?: Task | undefined },
  signal: AbortSignal,
): Promise<ApplyPlan> {
  const store = ownDocuments(reader);
  const { name } = store.paths;
  const { start, lives = [], undoing } = stateIn(store) ?? {};
  if (store.config.read()?.isolation !== 'trees')
    throw new UsageError(
      'USAGE',
      `The members of team ${name} have no trees of their own: they wrote into your files. \`teams diff ${name}\` shows what changed.`,
    );
  if (leadStatusOf(store).alive)
    throw new ConflictError(
      'LEAD_ALIVE',
      `Team ${name} is running; \`teams wait ${name}\` waits for its end, then apply.`,
    );
  if (undoing !== undefined) throw new ConflictError('REFUSED', interruptedUndo(name, undoing));
  if (start === undefined) throw new UsageError('USAGE', `Nothing of team ${name} has landed: it was never run.`);
  try {
    const beginning = { lives, known: knownOf(store, start), leftOut: start.leftOut, task };
    return await triedAgain(() => plan(store, beginning, signal));
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError('USAGE', `What landed in team ${name} is unknown: ${error.message}.`);
  }
}

interface Beginning {
  readonly lives: readonly RunLife[];
  readonly known: ReturnType<typeof knownOf>;
  readonly leftOut: readonly string[] | undefined;
  /** Only the change of this task. */
  readonly task: Task | undefined;
}

async function plan(
  store: TeamReader,
  { lives, known, leftOut, task }: Beginning,
  signal: AbortSignal,
): Promise<ApplyPlan> {
  const { paths, clock } = store;
  const repository = await repositoryAt({ cwd: cwdOf(store), signal }, known);
  if (typeof repository === 'string') throw new GitFailure(repository);
  const own = inVault(paths, { signal });
  const refs = new VaultRefs(store);
  const work = await landedWork(store, signal);
  if (work === undefined) throw new GitFailure('its repository is gone');
  const before = lives.filter(({ undone = false }) => !undone);
  const { from, to } = task === undefined ? { from: work.applied, to: work.main } : attemptOf(store, task);
  // In the team's repository: no gc takes them there until their refs are in the project's, too.
  const into = join(paths.vault, 'objects');
  const files = await withTrees(repository, { signal }, { into, leftOut }, (trees) => Promise.resolve(trees.files));
  const since = clock.now();
  const now = await commitTree(
    { tree: files, parents: [from], message: `All files before an apply of team ${paths.name}` },
    own,
  );
  const merged = await mergeTrees(now, to, own);
  if (merged.conflicts.length > 0) throw conflicting(store, merged.conflicts);
  const after = await commitTree({ tree: merged.tree, parents: [now, to], message: `All files after it` }, own);
  const changes = (await treeChanges(files, await treeOf(after, own), own)).filter(isFile);
  // An apply of one task is no state of the whole: the next merges from the one before.
  const ended = { start: now, end: after, since, landed: task === undefined ? work.main : undefined };
  if (changes.length > 0) await keepBoth(store, refs, { ...ended, from }, signal);
  const steps = changes.map((change) => stepAt(repository.top, change));
  const edited = steps.filter(({ isFree }) => !isFree).map(({ path }) => path);
  if (edited.length > 0) throw conflicting(store, edited);
  return {
    top: repository.top,
    place: repository.place,
    steps,
    left: [],
    isEndUnknown: false,
    lives: [...before, ended],
    ended: [...before, { ...ended, undone: true }],
    seen: seenOf(stateIn(store)),
    begun: undefined,
    landed: task === undefined ? work.count : 1,
  };
}

function attemptOf({ paths }: TeamReader, task: Task): { from: string; to: string } {
  if (task.status === 'completed' && task.landed !== undefined)
    return { from: task.landed.attempt.base, to: task.landed.attempt.commit };
  throw new UsageError('USAGE', `No change of task #${task.id} of team ${paths.name} has landed.`);
}

const isFile = ({ from, to }: TreeChange): boolean => from?.mode !== '160000' && to?.mode !== '160000';

/** In the project's repository too, where an undo reads them. */
async function keepBoth(
  store: TeamReader,
  refs: VaultRefs,
  { from, start, end }: { from: string; start: string; end: string },
  signal: AbortSignal,
): Promise<void> {
  const own = inVault(store.paths, { signal });
  const id = newId(store.clock.now());
  await keepCommit(store.paths, { ref: refs.applied(id, 'start'), commit: start, known: from }, own);
  await keepCommit(store.paths, { ref: refs.applied(id, 'end'), commit: end, known: start }, own);
  const trouble = await mirror(store, refs.all, { signal });
  if (trouble !== undefined) throw new GitFailure(trouble);
}

const MOST_LISTED = 5;

function conflicting({ paths }: TeamReader, files: readonly string[]): ConflictError {
  const more = files.length > MOST_LISTED ? ` and ${files.length - MOST_LISTED} more` : '';
  return new ConflictError(
    'REFUSED',
    `Nothing was applied: you and team ${paths.name} changed ${files.slice(0, MOST_LISTED).join(', ')}${more} at the same place. Set your own edits aside (for example \`git stash\`), apply, and bring them back; \`teams diff ${paths.name}\` shows what landed.`,
  );
}

/** @throws ConflictError `REFUSED` if a file was changed since the plan was made; then nothing is changed */
export const carryOutApply = (
  { paths }: TeamReader,
  plan: ApplyPlan,
  store: StoreOptions,
  signal: AbortSignal,
): Promise<void> => carryOutUndo(paths, plan, { redo: true, told: 'run.applied', store }, signal);
