/** What landed in a team with trees, and how much of it is not in the user's files (docs/isolation.md). */
import { ConflictError } from '../../model/text/errors.ts';
import { stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import { hasVault } from '../../store/trees/vault.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git } from '../process/git.ts';
import { vaultHere, VaultRefs } from './vault.ts';
import { commitOf } from './vault-commits.ts';

interface LandedWork {
  /** The common state. */
  readonly main: string;
  /** The common state that was applied last; the beginning, if none was. */
  readonly applied: string;
  /** Changes between both. */
  readonly count: number;
}

/**
 * @returns undefined for a team without trees, or that never ran
 * @throws GitFailure
 */
export async function landedWork(store: TeamReader, signal: AbortSignal): Promise<LandedWork | undefined> {
  const { disk, paths } = store;
  if (store.config.read()?.isolation !== 'trees' || !hasVault(disk, paths)) return undefined;
  const own = vaultHere(store, { signal });
  const refs = new VaultRefs(store);
  const main = await commitOf(refs.main, own);
  const root = await commitOf(refs.root, own);
  const { lives = [] } = stateIn(store) ?? {};
  const applied = lives.findLast(({ landed, undone = false }) => landed !== undefined && !undone)?.landed ?? root;
  if (main === undefined || applied === undefined) throw new GitFailure('its repository is damaged');
  const counted = await git(['rev-list', '--first-parent', '--count', `${applied}..${main}`], own);
  return { main, applied, count: Number(requireGit(counted, 'git rev-list')) };
}

/** How many changes landed that were never applied. A team whose repository cannot be read counts as one. */
export async function unappliedIn(store: TeamReader, signal: AbortSignal): Promise<number> {
  try {
    return (await landedWork(store, signal))?.count ?? 0;
  } catch (error) {
    if (error instanceof GitFailure) return 1;
    throw error;
  }
}

/**
 * @param cure what brings it into the project's files, and what archives the team all the same
 * @throws ConflictError `REFUSED` for a team whose work landed and was never applied: it would be out of sight
 */
export async function requireApplied(
  store: TeamReader,
  { apply, archive }: { readonly apply: string; readonly archive: string },
  signal: AbortSignal,
): Promise<void> {
  const count = await unappliedIn(store, signal);
  if (count === 0) return;
  const tasks = `${count} task${count === 1 ? '' : 's'}`;
  throw new ConflictError(
    'REFUSED',
    `The work of ${tasks} of team ${store.paths.name} has landed and is not in your files: ${apply} brings it there; ${archive} archives the team as it is.`,
  );
}
