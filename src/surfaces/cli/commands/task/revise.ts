/** `teams task revise`: finished work is done again, and what was made from it. */
import { reviseTask } from '../../../../app.ts';
import { givenText } from '../../input/text-argument.ts';
import { onTask } from './on-task.ts';

export const act = onTask(
  async ({ context, handle, reference, word }) => reviseTask(handle, reference, await givenText(context, word)),
  { words: 1 },
);
