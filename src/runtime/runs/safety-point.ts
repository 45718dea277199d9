/**
 * The safety points of a run. At both ends of each life of a run the tracked files, the index and untracked files are
 * kept in git as two commits below `refs/teams/<team's ULID>/`: the files on top of the index on top of HEAD. Branches,
 * the user's index and the files are not touched.
 */
import { bringCommit, IDENTITY } from '../process/bring-commit.ts';
import { git, type GitWhere } from '../process/git.ts';
import { hasRepository, repositoryAt, within } from '../process/git-place.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { withTrees, type Trees } from '../process/working-tree.ts';
import { untracked } from '../process/working-tree.ts';
import { unusedRef } from '../process/team-refs.ts';
import { triedAgain } from '../process/try-again.ts';
import { afterRunning } from '../../os/work-timer.ts';
import type { RunSession } from './session.ts';
import { cwdOf, type TeamReader } from '../../store/team/team-reader.ts';
import {
  filteredMessage,
  keptSafetyPoint,
  knownOf,
  messageOf,
  refOf,
  sealedStart,
  type SafetyPoint,
} from '../process/safety-ref.ts';

type Keeper = Pick<RunSession, 'store' | 'children' | 'keptFileBytes' | 'note' | 'state' | 'tell'>;

/**
 * Keeps all files at the start of a life of the run: before the first claim, and at each resume of such a run. Without
 * git there is no safety point.
 *
 * @returns why there is none, if there should be one
 */
export async function keepStart(session: Keeper, signal?: AbortSignal): Promise<string | undefined> {
  const { store } = session;
  const { start, lives = [] } = (await session.state()) ?? {};
  // With trees only `teams apply` changes these files, and keeps what it changes.
  const isApart = store.config.readOwn()?.isolation === 'trees';
  const isBegun = [...store.board.fold().tasks.values()].some(({ claims }) => claims > 0);
  if (isApart && start !== undefined && (isBegun || (await isThere(session, start)))) return undefined;
  if (!hasRepository(cwdOf(store))) return undefined;
  if (start === undefined && isBegun) return undefined;
  const before = lives.length === 0 && start !== undefined ? [{ start: start.commit }] : lives;
  const since = store.clock.now();
  return keep(session, 'start', before.length + 1, signal, async (kept) => {
    const first = isApart ? keptSafetyPoint(store, kept) : (start ?? keptSafetyPoint(store, kept));
    const life = { start: kept.commit, since, leftOut: kept.leftOut };
    // With trees a life is an apply, which another command adds.
    await session.note({ start: first, ...(isApart ? {} : { lives: [...before, life] }) });
  });
}

/** The user's own git may have collected it before its ref was there. */
const isThere = ({ store, children }: Keeper, start: SafetyPoint): Promise<boolean> =>
  children.run(async (marker) => {
    const { signal } = new AbortController();
    const repository = await repositoryAt({ cwd: cwdOf(store), marker, signal }, knownOf(store, start));
    if (typeof repository === 'string') return true;
    const where = within(repository, { marker, signal });
    return (await git(['cat-file', '-e', `${start.commit}^{tree}`], where)).code === 0;
  });

/** Keeps all files at the end of a life, when no process of the run writes any more: what the run itself changed. */
export async function keepEnd(session: Keeper): Promise<string | undefined> {
  const { lives = [] } = (await session.state()) ?? {};
  const last = lives.at(-1);
  if (last === undefined || last.end !== undefined) return undefined;
  return keep(session, 'end', lives.length, undefined, ({ commit: end, leftOut = [] }) => {
    const all = [...new Set([...(last.leftOut ?? []), ...leftOut])];
    return session.note({
      lives: [...lives.slice(0, -1), { ...last, end, ...(all.length > 0 ? { leftOut: all } : {}) }],
    });
  });
}

async function keep(
  session: Keeper,
  end: 'start' | 'end',
  life: number,
  signal: AbortSignal | undefined,
  note: (kept: SafetyPoint) => Promise<void>,
): Promise<string | undefined> {
  const { store } = session;
  try {
    const kept = await session.children.run((marker) => {
      const where = { cwd: cwdOf(store), marker, env: IDENTITY, signal: signal ?? new AbortController().signal };
      return triedAgain(() => commitAll(session, { end, life }, where));
    });
    await note(kept);
    const said = keptSafetyPoint(store, kept);
    if (end === 'start')
      session.tell({
        type: 'baseline.saved',
        ...said,
        seal: store.seal.sign(sealedStart(store, said)),
        text: `${refOf(teamOf(store), life, end)} is ${kept.commit}`,
      });
    return undefined;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    session.tell({ type: 'start.failed', text: error.message });
    return end === 'start'
      ? `No safety point was made before the work: ${error.message}.`
      : `The end of the work was not kept, so \`teams undo\` cannot tell it from later changes: ${error.message}.`;
  }
}

const teamOf = ({ board }: Pick<TeamReader, 'board'>): string => board.fold().team?.id ?? 'unknown';

/** Copying that takes longer than this is told, in milliseconds. */
const TOLD_AFTER_MS = 2_000;

async function commitAll(
  session: Pick<RunSession, 'store' | 'keptFileBytes' | 'state' | 'tell'>,
  { end, life }: { readonly end: 'start' | 'end'; readonly life: number },
  where: GitWhere,
): Promise<SafetyPoint> {
  const team = session.store.paths.name;
  const when = end === 'start' ? 'began' : 'ended';
  const start = (await session.state())?.start;
  const repository = await repositoryAt(where, start && knownOf(session.store, start));
  if (typeof repository === 'string') throw new GitFailure(repository);
  const message = (text: string): string => messageOf(text, session.store.paths.root, repository.top);
  const { large, bytes } = await untracked(repository, where, session.keptFileBytes);
  const told = afterRunning(TOLD_AFTER_MS, () =>
    session.tell({
      type: 'baseline.slow',
      text: `git still copies untracked files (${mebibytes(bytes)}) ${end === 'start' ? 'before the work begins' : 'after the work'}`,
    }),
  );
  try {
    return await withTrees(repository, where, { leftOut: large }, async (trees, scratch) => {
      const leftOut = [...large, ...trees.large.map(({ path }) => path)];
      const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], trees.where);
      const parent = head.code === 0 ? ['-p', head.text.trim()] : [];
      const index = await commit(
        trees,
        trees.staged ?? trees.files,
        parent,
        message(`What was staged when team ${team} ${when}`),
      );
      const all = message(`All files when team ${team} ${when}`);
      const words = trees.isFiltered ? filteredMessage(all) : all;
      const files = await commit(trees, trees.files, ['-p', index], words);
      const ref = await unusedRef(refOf(teamOf(session.store), life, end), within(repository, where));
      await bringCommit(scratch, { commit: files, ref }, repository, where);
      return {
        commit: files,
        directory: repository.top,
        git: repository.place,
        ...(leftOut.length === 0 ? {} : { leftOut }),
      };
    });
  } finally {
    told();
  }
}

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`;

const commit = async ({ where }: Trees, tree: string, parent: readonly string[], message: string): Promise<string> =>
  requireGit(await git(['commit-tree', tree, ...parent, '-m', message], where), 'git commit-tree');
