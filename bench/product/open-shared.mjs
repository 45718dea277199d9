/** A process that opens a team and folds its board. */
import { parseName, realClock, openStore, teamPaths } from '../.build/product.mjs';

/** The job, once: @returns how long it took, in milliseconds */
export function open({ root, team }) {
  const paths = teamPaths(root, parseName('team', team));
  return async () => {
    const began = performance.now();
    const store = openStore(paths, { clock: realClock });
    const { size } = store.board.fold().tasks;
    const ms = performance.now() - began;
    await store.close();
    return { ms, size };
  };
}
