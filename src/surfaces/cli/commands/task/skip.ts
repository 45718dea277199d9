/** `teams task skip`: what waits for it goes on without; with `--cascade` it is skipped too. */
import * as z from 'zod';
import { flag, readOptions, text } from '../../input/options.ts';
import { onTask } from './on-task.ts';

const schema = z.object({ cascade: flag, why: text });

export const act = onTask(({ handle, reference }, given) => {
  const { cascade, why } = readOptions(schema, given);
  return handle.board.skip(reference, { cascade, why });
});
