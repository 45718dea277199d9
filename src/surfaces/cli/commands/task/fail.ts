/** `teams task fail`: not done, with the reason. */
import { endTask } from './end-task.ts';

export const act = endTask('failed');
