/** `teams task complete`: done, with the result. */
import { endTask } from './end-task.ts';

export const act = endTask('completed');
