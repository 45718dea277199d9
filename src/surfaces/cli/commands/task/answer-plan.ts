/** `teams task approve` and `refuse`: the answer to a member that waits for the approval of its plan. */
import { judgeTask } from '../../../../app.ts';
import { givenText } from '../../input/text-argument.ts';
import type { Act } from '../../verb.ts';
import { onTask } from './on-task.ts';

export const answer = (approve: boolean): Act =>
  onTask(
    async ({ context, handle, reference, word }) =>
      judgeTask(handle, reference, { approve, text: await givenText(context, word) }),
    { words: 1 },
  );
