/** `teams task update`: words, owner and edges of a task, by TaskUpdate. Its status has verbs of its own. */
import * as z from 'zod';
import { updateTask } from '../../../../app.ts';
import { givenText } from '../../input/text-argument.ts';
import { readOptions, text, texts } from '../../input/options.ts';
import { onTask } from './on-task.ts';
import { callOf, toolInput } from './tool-input.ts';

const schema = z.object({
  subject: text,
  description: text,
  activeForm: text,
  owner: text,
  block: texts,
  unblock: texts,
});

export const act = onTask(async ({ context, handle, reference: taskId }, given) => {
  const { owner, block: addBlockedBy, unblock: removeBlockedBy, ...words } = readOptions(schema, given);
  const input = toolInput('TaskUpdate', { taskId, owner, addBlockedBy, removeBlockedBy });
  const { subject, description, activeForm } = words;
  const said = {
    subject,
    description: description === undefined ? undefined : await givenText(context, description),
    activeForm,
  };
  return (await updateTask(handle, input, callOf(context), said)).task;
});
