/** Copies what a team keeps into the project's repository, below `refs/teams/<team's ULID>/`: there it outlives the team's folder. */
import { basename, join, resolve } from 'node:path';
import { isTeamError } from '../../model/text/errors.ts';
import { copyRefs, freeOldRefs, removeRefsCopy } from '../../store/trees/vault.ts';
import { stateIn, cwdOf, type TeamReader } from '../../store/team/team-reader.ts';
import { GitFailure, requireGit } from '../process/git-tree.ts';
import { git } from '../process/git.ts';
import { fetchWhole, LOCALLY } from '../process/bring-commit.ts';
import { repositoryAt, within } from '../process/git-place.ts';
import { knownOf } from '../process/safety-ref.ts';
import { inVault, type VaultGit } from '../trees/vault.ts';

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
  const { paths } = store;
  try {
    const listed = await git(['for-each-ref', '--format=%(objectname) %(refname)', refs], inVault(paths, how));
    // Members keep more meanwhile: the second look of git would copy all of it once more, for what is new.
    const from = copyRefs(paths, requireGit(listed, 'git for-each-ref'));
    const what = { from, refs: `+${refs}*:${refs}*`, apart: join(paths.vault, 'incoming'), by: refs };
    const { code, said } = await fetchWhole(what, repository, where);
    return code === 0 ? undefined : `${NOT_COPIED}: ${said || 'git fetch failed'}`;
  } catch (error) {
    if (!(error instanceof GitFailure) && !isTeamError(error)) throw error;
    return `${NOT_COPIED}: ${error.message}`;
  } finally {
    removeRefsCopy(paths);
  }
}
