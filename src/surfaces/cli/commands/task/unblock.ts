/** `teams task unblock`: removes the edge to one blocker, or to all. */
import { onTask } from './on-task.ts';

export const act = onTask(
  ({ handle, reference, word }) => handle.board.unblock(reference, word === '' ? undefined : word),
  { words: 1 },
);
