/**
 * The safety point of a run. Before agents write, the tracked files, the index and untracked files are kept in git as
 * two commits under `refs/teams/<team>/start`: the files on top of the index on top of HEAD. Branches, the user's index
 * and the files are not touched.
 */
import { missingExclusion } from '../../store/workspace/exclude.ts';
import { git, type GitWhere } from '../process/git.ts';
import { GitFailure, requireGit, repositoryAt, untracked, withTrees, type Trees } from '../process/git-tree.ts';
import { afterRunning } from '../../os/work-timer.ts';
import type { RunSession } from './session.ts';
import { cwdOf, type TeamReader } from '../../store/team/team-reader.ts';
import { keptSafetyPoint, refOf, repositoryOf, type SafetyPoint } from '../process/safety-ref.ts';

/**
 * Deletes the ref of a safety point. The ref of another run with the same name stays, and a missing ref is no error.
 */
export async function forgetSafetyPoint(
  store: Pick<TeamReader, 'disk' | 'paths'>,
  start: SafetyPoint,
  signal: AbortSignal,
): Promise<void> {
  const cwd = repositoryOf(store, start);
  await git(['update-ref', '-d', refOf(store.paths.name), start.commit], { cwd, signal });
}

const WHO = { NAME: 'teams', EMAIL: 'teams@localhost' };
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((as) => Object.entries(WHO).map(([key, value]) => [`GIT_${as}_${key}`, value])),
);

/**
 * Makes the safety point once in the life of a team, before the first claim. Without git there is none.
 *
 * @returns why there is none, if there should be one
 */
export async function keepSafetyPoint(
  session: Pick<RunSession, 'store' | 'children' | 'keptFileBytes' | 'note' | 'tell'>,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { store } = session;
  const cwd = cwdOf(store);
  if (store.state.read()?.start !== undefined || missingExclusion(cwd) === undefined) return undefined;
  if ([...store.board.fold().tasks.values()].some(({ claims }) => claims > 0)) return undefined;
  try {
    const start = await session.children.run((marker) =>
      commitAll(session, { cwd, marker, env: IDENTITY, signal: signal ?? new AbortController().signal }),
    );
    await session.note({ start: keptSafetyPoint(store, start) });
    session.tell({
      type: 'baseline.saved',
      ...keptSafetyPoint(store, start),
      text: `${refOf(store.paths.name)} is ${start.commit}`,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    session.tell({ type: 'start.failed', text: error.message });
    return `No safety point was made before the work: ${error.message}.`;
  }
}

/** Copying that takes longer than this is told, in milliseconds. */
const TOLD_AFTER_MS = 2_000;

async function commitAll(
  session: Pick<RunSession, 'store' | 'keptFileBytes' | 'tell'>,
  where: GitWhere,
): Promise<SafetyPoint> {
  const team = session.store.paths.name;
  const repository = await repositoryAt(where);
  if (typeof repository === 'string') throw new GitFailure(repository);
  const { large: leftOut, bytes } = await untracked(repository, where, session.keptFileBytes);
  const told = afterRunning(TOLD_AFTER_MS, () =>
    session.tell({
      type: 'baseline.slow',
      text: `git still copies untracked files (${mebibytes(bytes)}) before the work begins`,
    }),
  );
  try {
    return await withTrees(repository, where, { keep: true, leftOut }, async (trees) => {
      const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], trees.where);
      const parent = head.code === 0 ? ['-p', head.text.trim()] : [];
      const index = await commit(trees, trees.staged ?? trees.files, parent, `What was staged when team ${team} began`);
      const files = await commit(trees, trees.files, ['-p', index], `All files when team ${team} began`);
      requireGit(await git(['update-ref', refOf(team), files], trees.where), 'git update-ref');
      return { commit: files, directory: repository.top, ...(leftOut.length === 0 ? {} : { leftOut }) };
    });
  } finally {
    told();
  }
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

const commit = async ({ where }: Trees, tree: string, parent: readonly string[], message: string): Promise<string> =>
  requireGit(await git(['commit-tree', tree, ...parent, '-m', message], where), 'git commit-tree');
