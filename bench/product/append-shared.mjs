/** A process that appends records to a team in a store, one after the other, and notes when each was acknowledged. */
import { newTaskSchema, realClock } from '../.build/product.mjs';
import { storeIn } from './claim-shared.mjs';

/** Milliseconds of a clock that all processes of this boot share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** The job: appends for `ms` milliseconds. Its answer has the times of all answers. */
export function append({ root }) {
  const store = storeIn(root);
  const { lead } = store.board.fold();
  const author = { person: 'lead', epoch: lead.epoch };
  const fields = newTaskSchema.parse({ subject: 'One more' });
  return async ({ ms }) => {
    const answers = [];
    for (const began = now(); now() - began < ms; await realClock.sleep(20)) {
      // Another process may take the number first: that is an answer, too.
      await store.board.append(author, ({ lastTaskId }) => ({
        type: 'task.created',
        task: String(lastTaskId + 1),
        fields,
      }));
      answers.push(now());
    }
    return { answers };
  };
}
