/** What landed in a team with trees, and how much of it is not in the user's files (docs/isolation.md). */
import { stateIn, type TeamReader } from '../../store/team/team-reader.ts';
import { hasVault } from '../../store/team/vault.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git } from '../process/git.ts';
import { commitOf, vaultHere, VaultRefs } from './vault.ts';

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
