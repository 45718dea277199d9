/** `teams task release`: gives a claimed task back. */
import * as z from 'zod';
import { readOptions, text } from '../../input/options.ts';
import { onTask } from './on-task.ts';

const schema = z.object({ why: text });

export const act = onTask(({ handle, reference }, given) =>
  handle.board.release(reference, readOptions(schema, given).why),
);
