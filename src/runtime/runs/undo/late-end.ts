/** The end of a life of a run whose lead was killed before it could keep it: what an undo finds there, for its redo. */
import type { TeamReader } from '../../../store/team/team-reader.ts';
import { bringCommit, IDENTITY } from '../../process/bring-commit.ts';
import { within, type Repository } from '../../process/git-place.ts';
import { requireGit } from '../../process/git-tree.ts';
import { withTrees } from '../../process/working-tree.ts';
import { git } from '../../process/git.ts';
import { filteredMessage, messageOf, refOf } from '../../process/safety-ref.ts';
import { unusedRef } from '../../process/team-refs.ts';

interface LateEnd {
  /** Counted from 1. */
  readonly life: number;
  readonly start: string;
  readonly leftOut: readonly string[] | undefined;
}

/**
 * @returns the commit, which has a ref in the project
 * @throws GitFailure
 */
export const keepLateEnd = (
  { board, paths }: TeamReader,
  repository: Repository,
  { life, start, leftOut }: LateEnd,
  signal: AbortSignal,
): Promise<string> =>
  withTrees(repository, { signal, env: IDENTITY }, { leftOut }, async ({ files, where, isFiltered }, scratch) => {
    const first = refOf(board.fold().team?.id ?? 'unknown', life, 'end');
    const project = within(repository, { signal });
    const present = await git(['show', '--no-patch', '--format=%H %T', first], project);
    const [before, tree] = present.text.trim().split(' ');
    // An undo that was not confirmed kept the same files.
    if (present.code === 0 && before !== undefined && tree === files) return before;
    const text = messageOf(`All files before an undo of team ${paths.name}`, paths.root, repository.top);
    const message = isFiltered ? filteredMessage(text) : text;
    const made = await git(['commit-tree', files, '-p', start, '-m', message], where);
    const commit = requireGit(made, 'git commit-tree');
    await bringCommit(scratch, { commit, ref: await unusedRef(first, project) }, repository, { signal });
    return commit;
  });
