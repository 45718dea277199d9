/** The changes in a team's working directory from its safety point to the end of its run, in all or for one task. */
import { join, posix } from 'node:path';
import { UsageError } from '../../model/text/errors.ts';
import type { Attempt, Task } from '../../model/board/task.ts';
import type { Undoing } from '../../model/run/run-state.ts';
import { matcher } from '../../policy/file-patterns.ts';
import { stateIn, type TeamReader, cwdOf } from '../../store/team/team-reader.ts';
import { bytesOf, GitFailure, requireGit, treeChanges, DIFF, type TreeChange } from '../process/git-tree.ts';
import { changedBetween, withTrees, type ChangedFile, type Trees } from '../process/working-tree.ts';
import { repositoryAt, within, type KnownPlace } from '../process/git-place.ts';
import { git } from '../process/git.ts';
import { knownOf, noSafetyPoint, type SafetyPoint } from '../process/safety-ref.ts';
import { leadStatusOf } from './external-status.ts';

/** Paths are relative to the team's working directory. */
export interface WorkspaceChanges {
  /** The commit that they are compared with. */
  readonly from: string;
  readonly files: readonly ChangedFile[];
  readonly text: string;
  /** An undo, redo or apply of it that did not end. */
  readonly undoing?: Undoing | undefined;
}

const LARGEST = 64 * 1024 * 1024;
/** Paths in one git command. */
const MANY = 500;

/**
 * @param task limits the result to its files: those that it named or is known to have touched
 * @throws UsageError `USAGE` for a team without a safety point, a task without files, a diff that is too large
 */
export async function changesSince(
  store: TeamReader,
  task: Task | undefined,
  signal: AbortSignal,
): Promise<WorkspaceChanges> {
  const { name } = store.paths;
  const { start, lives, undoing } = stateIn(store) ?? {};
  if (start === undefined)
    throw new UsageError('USAGE', `Team ${name} has no safety point to compare with: ${noSafetyPoint(name)}.`);
  if (store.config.read()?.isolation === 'trees') return { ...(await landedChanges(store, task, signal)), undoing };
  const isIts = task === undefined ? () => true : filesOf(task);
  try {
    // What was changed after the end of a run is not the run's.
    const end = leadStatusOf(store).alive ? undefined : lives?.at(-1)?.end;
    const since = { cwd: cwdOf(store), start, known: knownOf(store, start), end, isIts, asText: true };
    return { ...(await compared(since, signal)), undoing };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError('USAGE', `The changes of team ${name} are unknown: ${error.message}.`);
  }
}

/** Of a team with trees: what landed since the beginning; of a task the change that it made, exactly. */
async function landedChanges(
  store: TeamReader,
  task: Task | undefined,
  signal: AbortSignal,
): Promise<WorkspaceChanges> {
  const { name } = store.paths;
  const [{ vaultHere, VaultRefs }, { commitOf }] = await Promise.all([
    import('../trees/vault.ts'),
    import('../trees/vault-commits.ts'),
  ]);
  const where = vaultHere(store, { signal });
  const refs = new VaultRefs(store);
  const attempt = task && attemptOf(task);
  if (task !== undefined && attempt === undefined)
    throw new UsageError('USAGE', `Task #${task.id} of team ${name} has made no change so far.`);
  try {
    const from = attempt?.base ?? (await commitOf(refs.root, where));
    const to = attempt?.commit ?? (await commitOf(refs.main, where));
    if (from === undefined || to === undefined) throw new GitFailure('its repository is gone');
    const trees: Trees = { staged: undefined, files: to, large: [], where };
    const files = await changedBetween(from, trees);
    return { from, files, text: await textOf(from, trees, files) };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    throw new UsageError('USAGE', `The changes of team ${name} are unknown: ${error.message}.`);
  }
}

/** The last change of a task that is kept. */
function attemptOf(task: Task): Attempt | undefined {
  if (task.status === 'landing') return task.attempt;
  return task.status === 'completed' ? task.landed?.attempt : task.bounced?.attempt;
}

function filesOf(task: Task): (path: string) => boolean {
  const named = namedBy(task);
  if (named.length > 0) return matcher(named);
  throw new UsageError(
    'USAGE',
    `Task #${task.id} names no files, so its changes cannot be separated from those of other tasks.`,
  );
}

/** The files that a task named or is known to have touched. */
const namedBy = (task: Task): readonly string[] => [
  ...task.work.files,
  ...(task.work.artifact === undefined ? [] : [task.work.artifact]),
  ...('result' in task ? task.result.files : []),
];

/** A text file that differs from the safety point. */
export interface ChangedText {
  /** Absolute. */
  readonly path: string;
  /** Absent: there was no such file. */
  readonly before?: string | undefined;
  /** Absent: there is none any more. */
  readonly after?: string | undefined;
}

/** Files of one task whose texts are read. */
const MOST_TEXTS = 20;
/** A larger file is left out, in bytes. */
const MOST_BYTES = 128 * 1024;

/**
 * The texts that each task changed since the safety point; for `undefined` those of the whole run. Nothing without a
 * safety point or without files of its own; bytes and large files are left out.
 */
export async function changedTexts(
  store: TeamReader,
  tasks: readonly (Task | undefined)[],
  signal: AbortSignal,
): Promise<(readonly ChangedText[])[]> {
  const { start, lives } = stateIn(store) ?? {};
  if (start === undefined) return tasks.map(() => []);
  const end = leadStatusOf(store).alive ? undefined : lives?.at(-1)?.end;
  const cwd = cwdOf(store);
  try {
    return await inTrees({ cwd, start, known: knownOf(store, start), end }, signal, async (trees, here) => {
      const all = await treeChanges(start.commit, trees.files, trees.where);
      const texts: (readonly ChangedText[])[] = [];
      for (const task of tasks) {
        const isIts = task === undefined ? () => true : namedBy(task).length > 0 ? filesOf(task) : () => false;
        const its = all.filter(({ path }) => isIts(here(path))).slice(0, MOST_TEXTS);
        const read = await Promise.all(its.map((change) => textsOf(change, join(cwd, here(change.path)), trees)));
        texts.push(read.flat());
      }
      return texts;
    });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return tasks.map(() => []);
  }
}

async function textsOf({ from, to }: TreeChange, path: string, { where }: Trees): Promise<ChangedText[]> {
  const [before, after] = await Promise.all(
    [from, to].map(async (entry) => (entry === null ? undefined : bytesOf(entry, where))),
  );
  const isText = [before, after].every(
    (bytes) => bytes === undefined || (bytes.length <= MOST_BYTES && !bytes.includes(0)),
  );
  return isText ? [{ path, before: before?.toString('utf8'), after: after?.toString('utf8') }] : [];
}

interface Compared {
  readonly cwd: string;
  readonly start: SafetyPoint;
  readonly known: KnownPlace;
  /** The commit to compare with; undefined for the files as they are now. */
  readonly end?: string | undefined;
}

interface Since extends Compared {
  readonly isIts: (path: string) => boolean;
  readonly asText: boolean;
}

function compared({ isIts, asText, ...since }: Since, signal: AbortSignal): Promise<WorkspaceChanges> {
  const { commit } = since.start;
  return inTrees(since, signal, async (trees, here) => {
    const changed = (await changedBetween(commit, trees)).filter(({ path }) => isIts(here(path)));
    const files = changed.map((file) => ({ ...file, path: here(file.path) }));
    return { from: commit, files, text: asText ? await textOf(commit, trees, changed) : '' };
  });
}

/** @param use gets the files to compare with, and what makes a path of the repository one of the working directory */
async function inTrees<T>(
  { cwd, start, known, end }: Compared,
  signal: AbortSignal,
  use: (trees: Trees, here: (path: string) => string) => Promise<T>,
): Promise<T> {
  const repository = await repositoryAt({ cwd, signal }, known);
  if (typeof repository === 'string') throw new GitFailure(repository);
  const here = (path: string): string => posix.relative(repository.prefix, path);
  return end === undefined
    ? withTrees(repository, { signal }, { leftOut: start.leftOut }, (trees) => use(trees, here))
    : use({ staged: undefined, files: end, large: [], where: within(repository, { signal }) }, here);
}

/** Paths that differ from a safety point, relative to the working directory; or why they are unknown. */
export async function changedPaths(
  store: TeamReader,
  start: SafetyPoint,
  signal: AbortSignal,
): Promise<string[] | string> {
  try {
    const { files } = await compared(
      { cwd: cwdOf(store), start, known: knownOf(store, start), isIts: () => true, asText: false },
      signal,
    );
    return files.map(({ path }) => path);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return error.message;
  }
}

async function textOf(from: string, { files, where }: Trees, changed: readonly ChangedFile[]): Promise<string> {
  const parts: string[] = [];
  for (let at = 0; at < changed.length; at += MANY) {
    const paths = changed.slice(at, at + MANY).map(({ path }) => `:(top,literal)${path}`);
    const diff = await git([...DIFF, from, files, '--', ...paths], { ...where, keptBytes: LARGEST });
    if (diff.bytes > LARGEST)
      throw new UsageError(
        'USAGE',
        `The diff is larger than ${LARGEST / 2 ** 20} MiB; name a task, or ask git: git diff ${from}.`,
      );
    requireGit(diff, 'git diff');
    parts.push(diff.text);
  }
  return parts.join('');
}
