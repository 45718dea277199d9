/** Where a tree of the lead is, and where programs in an isolation see it. */
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { shownTree } from '../trees/shown-tree.ts';

export interface TreePlace {
  readonly cwd: string;
  readonly shown: ShownTree;
}

export const treePlace = (store: TeamStore, of: '.queue' | '.lead'): TreePlace => ({
  cwd: store.paths.tree(of),
  shown: shownTree(store),
});
