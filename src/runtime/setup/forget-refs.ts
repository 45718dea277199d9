/** Deletes the git refs of a team that is removed. A copy of its folder in the same repository keeps those of its own. */
import type { TeamReader } from '../../store/team/team-reader.ts';
import { hasRepository, repositoryAt, within } from '../process/git-place.ts';
import { namedRoots, otherTeams } from '../process/worktrees.ts';
import { GitFailure } from '../process/git-tree.ts';
import { formerRefOf, knownOf, refsOf, repositoryOf, type SafetyPoint } from '../process/safety-ref.ts';
import { deleteRefs, refsBelow } from '../process/team-refs.ts';

/**
 * A missing ref, or repository, is no error.
 *
 * @param team its ULID
 * @returns why some stay that are this team's
 */
export async function forgetRefs(
  store: Pick<TeamReader, 'disk' | 'paths'>,
  { start, team }: { readonly start: SafetyPoint; readonly team: string | undefined },
  signal: AbortSignal,
): Promise<string | undefined> {
  const cwd = repositoryOf(store, start);
  if (!hasRepository(cwd)) return undefined;
  const found = await repositoryAt({ cwd, signal }, knownOf(store, start));
  if (typeof found === 'string') return found;
  const where = within(found, { signal });
  try {
    const former = (await refsBelow(formerRefOf(store.paths.name), where)).filter(
      ({ commit }) => commit === start.commit,
    );
    if (team === undefined) return await deleteRefs(former, where);
    const refs = await refsBelow(refsOf(team), where);
    const roots = await namedRoots(found, where);
    const others = otherTeams({ id: team, root: store.paths.root }, refs.flatMap(roots));
    const isOwn = (ref: (typeof refs)[number]): boolean => {
      const named = roots(ref);
      return others.size === 0 || (named.length > 0 && !named.some((root) => others.has(root)));
    };
    return await deleteRefs([...former, ...refs.filter(isOwn)], where);
  } catch (error) {
    if (error instanceof GitFailure) return error.message;
    throw error;
  }
}
