/** Claimants of a team as shipped: on the files of one root, or on the replicas of two machines in turn. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nextClaim, openStore, parseName, realClock, spreadClaim, teamPaths } from '../.build/product.mjs';

const ULID_ZERO = '0'.repeat(26);

export const memberOf = (index) => parseName('member', `w${index}`);
/** Any 26 digits are a valid incarnation. */
export const lifeOf = (index) => ULID_ZERO.slice(0, 24) + String(index).padStart(2, '0');
export const storeIn = (root) => openStore(teamPaths(root, parseName('team', 'bench')), { clock: realClock });

export function claimant({ dir, index }) {
  const isShared = existsSync(join(dir, 'b'));
  const store = storeIn(join(dir, isShared && index % 2 === 1 ? 'b' : 'a'));
  const member = memberOf(index);
  const author = { by: member, inc: lifeOf(index) };
  const choose = isShared ? spreadClaim : nextClaim;
  let lost = 0;
  return {
    /** @returns the id of a task that was claimed and completed; undefined when none is pending */
    async next() {
      for (let task = choose(store.board.fold(), member); task; task = choose(store.board.fold(), member)) {
        const { id } = task;
        const { outcome } = await store.board.append(author, () => ({ type: 'task.claimed', task: id, member }));
        if (!outcome.ok) {
          lost += 1;
          continue;
        }
        const { epoch } = store.board.board.tasks.get(id).claim;
        const result = { summary: 'done', files: [] };
        const done = await store.board.append(author, () => ({ type: 'task.completed', task: id, epoch, result }));
        if (!done.outcome.ok) throw new Error(done.outcome.why);
        return id;
      }
      return undefined;
    },
    lost: () => lost,
    close: () => store.close(),
  };
}
