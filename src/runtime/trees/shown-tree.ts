/** What programs in an isolation see of a tree of a team. */
import type { ShownTree } from '../../policy/sandbox/lent-path.ts';
import { cwdOf } from '../../store/team/team-reader.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { behindTree } from '../../store/trees/vault.ts';
import { lentIn } from './tree-needs.ts';

/** @param project where its files lie on this machine */
export const shownTree = (store: TeamStore, project = cwdOf(store)): ShownTree => ({
  at: project,
  behind: behindTree(store.disk, store.paths),
  lend: lentIn(store),
});
