/** `teams task complete`: done, with the result. */
import { endOf } from './end-task.ts';

export const act = endOf('completed');
