/** What each `teams task` verb does, one row for each verb. The longer ones have their own files. */
import { judgeTask, reviseTask, updateTask } from '../../../../app.ts';
import { flagField, readFields, textField, textsField } from '../../input/plain-options.ts';
import { givenText } from '../../input/stdin.ts';
import type { Act } from '../../verb.ts';
import { claim } from './claim.ts';
import { create } from './create.ts';
import { endOf } from './end-task.ts';
import { callOf, onTask, toolInput } from './on-task.ts';
import { get, list } from './show.ts';

const updateFields = {
  subject: textField,
  description: textField,
  activeForm: textField,
  owner: textField,
  block: textsField,
  unblock: textsField,
};

/** Changes text, owner and blockers of a task through the tool TaskUpdate. Other verbs change the status. */
const update: Act = onTask(async ({ context, handle, reference: taskId }, given) => {
  const { owner, block: addBlockedBy, unblock: removeBlockedBy, ...words } = readFields(updateFields, given);
  const input = toolInput('TaskUpdate', { taskId, owner, addBlockedBy, removeBlockedBy });
  const { subject, description, activeForm } = words;
  const said = {
    subject,
    description: description === undefined ? undefined : await givenText(context, description),
    activeForm,
  };
  return (await updateTask(handle, input, callOf(context), said)).task;
});

const skipFields = { cascade: flagField, why: textField };
const retryFields = { note: textField };
const releaseFields = { why: textField };

/** Answers a member that waits for the approval of its plan. */
const answer = (approve: boolean): Act =>
  onTask(
    async ({ context, handle, reference, word }) =>
      judgeTask(handle, reference, { approve, text: await givenText(context, word) }),
    { words: 1 },
  );

export const TASK_ACTS = {
  create,
  list,
  get,
  update,
  claim,
  complete: endOf('completed'),
  fail: endOf('failed'),
  release: onTask(({ handle, reference }, given) =>
    handle.board.release(reference, readFields(releaseFields, given).why),
  ),
  retry: onTask(async ({ context, handle, reference }, given) => {
    const { note } = readFields(retryFields, given);
    return handle.board.retry(reference, note === undefined ? undefined : await givenText(context, note));
  }),
  skip: onTask(({ handle, reference }, given) => handle.board.skip(reference, readFields(skipFields, given))),
  unblock: onTask(({ handle, reference, word }) => handle.board.unblock(reference, word === '' ? undefined : word), {
    words: 1,
  }),
  approve: answer(true),
  refuse: answer(false),
  revise: onTask(
    async ({ context, handle, reference, word }) => reviseTask(handle, reference, await givenText(context, word)),
    { words: 1 },
  ),
} as const satisfies Readonly<Record<string, Act>>;
