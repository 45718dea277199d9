/** The change between two states, made again on top of a third one. */
import type { GitWhere } from '../process/git.ts';
import type { Merged } from './merge-by-index.ts';
import { commitTree, mergeTrees, treeOf } from './vault.ts';

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
  const made = async (tree: string, parents: string[]) =>
    commitTree({ tree, parents, message: 'For a merge', date: '0' }, own);
  const base = await made(await treeOf(from, own), []);
  const [ours, theirs] = [await made(top, [base]), await made(await treeOf(to, own), [base])];
  return mergeTrees(ours, theirs, own);
}
