/** `teams task fail`: not done, with the reason. */
import { endOf } from './end-task.ts';

export const act = endOf('failed');
