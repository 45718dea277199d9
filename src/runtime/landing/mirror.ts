/** Copies what a team keeps into the project's repository, below `refs/teams/<team's ULID>/`: there it outlives the team's folder. */
import { basename, join, resolve } from 'node:path';
import { freeOldRefs } from '../../store/team/vault.ts';
import { stateIn, cwdOf, type TeamReader } from '../../store/team/team-reader.ts';
import { GitFailure } from '../process/git-tree.ts';
import { fetchWhole, LOCALLY } from '../process/bring-commit.ts';
import { repositoryAt, within } from '../process/git-place.ts';
import { knownOf } from '../process/safety-ref.ts';
import type { VaultGit } from '../trees/vault.ts';

export const NOT_COPIED = "what landed is not yet in the project's repository";

/** @returns why it failed: the next one makes up for it */
export async function mirror(store: TeamReader, refs: string, how: VaultGit): Promise<string | undefined> {
  const { start } = stateIn(store) ?? {};
  if (start === undefined) return 'the team has no safety point';
  const repository = await repositoryAt({ ...how, cwd: cwdOf(store) }, knownOf(store, start));
  if (typeof repository === 'string') return repository;
  const where = within(repository, { ...how, env: LOCALLY });
  freeOldRefs(join(resolve(repository.top, repository.place.refs), 'teams', basename(refs)), store.clock.now());
  // A pack stays locked until its refs are there, so that the user's own gc removes none of it.
  const { vault } = store.paths;
  const what = { from: vault, refs: `+${refs}*:${refs}*`, apart: join(vault, 'incoming'), by: refs };
  try {
    const { code, said } = await fetchWhole(what, repository, where);
    return code === 0 ? undefined : `${NOT_COPIED}: ${said || 'git fetch failed'}`;
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return `${NOT_COPIED}: ${error.message}`;
  }
}
