/** `teams task retry`: a failed task may be tried again. */
import { onTask } from './on-task.ts';

export const act = onTask(({ handle, reference }) => handle.board.retry(reference));
