/** What of the project's own files is not as it was when a team with trees began: changed by the user, or by a member that no isolation keeps from them. */
import { cwdOf, stateIn } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { LeadChildren } from '../lead/lead-children.ts';
import { repositoryAt } from '../process/git-place.ts';
import { GitFailure } from '../process/git-tree.ts';
import { changedBetween, withTrees } from '../process/working-tree.ts';
import { knownOf } from '../process/safety-ref.ts';
import { commitOf } from '../trees/vault-commits.ts';

/** Files that the sentence names. */
const MOST_NAMED = 10;

/** @returns sentences for the report; none for a team of which something was applied */
export async function checkoutChanges(session: {
  readonly store: TeamStore;
  readonly children: LeadChildren;
}): Promise<string[]> {
  const { store } = session;
  const { start, lives = [] } = stateIn(store) ?? {};
  if (start === undefined || lives.length > 0) return [];
  const { signal } = new AbortController();
  try {
    return await session.children.run(async (marker) => {
      const where = { signal, marker };
      const repository = await repositoryAt({ ...where, cwd: cwdOf(store) }, knownOf(store, start));
      if (typeof repository === 'string') return [];
      const { leftOut } = start;
      return withTrees(repository, where, { leftOut }, async (trees) => {
        const changed = (await changedBetween(start.commit, trees)).map(({ path }) => path);
        const hasMoved = (await commitOf('HEAD', trees.where)) !== (await commitOf(`${start.commit}~2`, trees.where));
        return [...(changed.length === 0 ? [] : [sentence(changed)]), ...(hasMoved ? [MOVED] : [])];
      });
    });
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return [];
  }
}

const MOVED = 'HEAD of the repository is another commit than when the team began.';

function sentence(changed: readonly string[]): string {
  const more = changed.length > MOST_NAMED ? ` and ${changed.length - MOST_NAMED} more` : '';
  const what = `${changed.length} ${changed.length === 1 ? 'file' : 'files'} of the project`;
  return `${what} changed since the team began, by you or by a member that is not isolated: ${changed.slice(0, MOST_NAMED).join(', ')}${more}. \`teams apply\` merges with that.`;
}
