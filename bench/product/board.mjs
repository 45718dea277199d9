/** The product's board with claimants: each claims the next task and completes it until none is left. */
import { BoardStore, newTaskSchema, nextClaim, parseName, realClock, realDisk } from '../.build/product.mjs';
import { lazyDisk, makeTeamIn, pathsIn } from './team.mjs';

const PERSON = { person: 'lead', epoch: 0 };
const NONE_FREE = { ok: false, code: 'UNKNOWN_TASK', why: 'no task is free' };
const BATCH = 500;
const ULID_ZERO = '0'.repeat(26);

const boardIn = (dir, disk, create = false) => new BoardStore(pathsIn(dir).log, { disk, clock: realClock, create });
/** Any 26 digits are a valid incarnation. */
const lifeOf = (index) => ULID_ZERO.slice(0, 24) + String(index).padStart(2, '0');
const memberOf = (index) => parseName('member', `w${index}`);

async function must(answer) {
  const { outcome } = await answer;
  if (!outcome.ok) throw new Error(outcome.why);
}

async function prepareBoard(dir, tasks, claimants) {
  makeTeamIn(dir);
  const board = boardIn(dir, lazyDisk, true);
  const changes = [{ type: 'team.opened', profile: 'v8', claim: 'auto' }];
  for (let index = 0; index < claimants; index += 1) {
    changes.push({ type: 'member.joined', name: memberOf(index), role: parseName('role', 'executor'), prefixes: [] });
    changes.push({ type: 'member.started', name: memberOf(index), inc: lifeOf(index), after: null });
  }
  for (let id = 1; id <= tasks; id += 1)
    changes.push({ type: 'task.created', task: String(id), fields: newTaskSchema.parse({ subject: `Task ${id}` }) });
  await must(board.append(PERSON, () => ({ type: 'log.opened', team: ULID_ZERO, name: pathsIn(dir).name })));
  for (let at = 0; at < changes.length; at += BATCH)
    await must(board.append(PERSON, () => ({ type: 'batch', changes: changes.slice(at, at + BATCH) })));
  board.close();
}

/** @param isDurable whether a completed task is on the disk before the call returns, as shipped */
export const claiming = (isDurable) => ({
  prepare: prepareBoard,
  claimant({ dir, index }) {
    const store = boardIn(dir, isDurable ? realDisk : lazyDisk);
    const member = memberOf(index);
    const author = { by: member, inc: lifeOf(index) };
    store.fold();
    return {
      /** @returns the id of a task that was claimed and completed; undefined when none is pending */
      async next() {
        // As a teammate does: it looks whether a task is free, and chooses on the board that its record is built on.
        while (nextClaim(store.fold(), member)) {
          let id;
          const { outcome } = await store.append(author, (board) => {
            id = nextClaim(board, member)?.id;
            return id === undefined ? NONE_FREE : { type: 'task.claimed', task: id, member };
          });
          if (!outcome.ok) continue;
          const { epoch } = store.board.tasks.get(id).claim;
          const result = { summary: 'done', files: [] };
          await must(store.append(author, () => ({ type: 'task.completed', task: id, epoch, result })));
          return id;
        }
        return undefined;
      },
      close: () => store.close(),
    };
  },
});
