/** The change between two states, made again on top of a third one. */
import type { GitWhere } from '../process/git.ts';
import type { Merged } from './merge-by-index.ts';
import { mergeTrees } from './merge.ts';
import { commitTree, treeOf } from './vault-commits.ts';

/**
 * @param top a tree
 * @param change from one commit to the other, whatever their parents are: backwards as well
 * @throws GitFailure
 */
export async function changeOnTop(
  top: string,
  { from, to }: { readonly from: string; readonly to: string },
  own: GitWhere,
): Promise<Merged> {
  const made = (tree: string, parents: string[]): string =>
    commitTree({ tree, parents, message: 'For a merge', date: '0' }, own);
  const base = made(await treeOf(from, own), []);
  const [ours, theirs] = [made(top, [base]), made(await treeOf(to, own), [base])];
  return mergeTrees(ours, theirs, own);
}
