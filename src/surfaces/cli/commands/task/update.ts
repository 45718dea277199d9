/** `teams task update`: words, owner and edges of a task. Its status has verbs of its own. */
import * as z from 'zod';
import { parseMemberName, UsageError, type Task, type TeamHandle } from '../../../../index.ts';
import { givenText } from '../../given-text.ts';
import { readOptions, text, texts } from '../../given.ts';
import { onTask } from './on-task.ts';

const NOBODY = 'nobody';
const schema = z.object({
  ...{ subject: text, description: text, activeForm: text, block: texts, unblock: texts },
  owner: z
    .string()
    .transform((name) => (name === NOBODY ? null : parseMemberName(name)))
    .optional(),
});
type Options = z.infer<typeof schema>;

export const act = onTask(async ({ frame, handle, reference }, given) => {
  const options = readOptions(schema, given);
  const { id } = handle.board.get(reference);
  const description = options.description === undefined ? undefined : await givenText(frame, options.description);
  const steps = stepsOf(handle, id, { ...options, description });
  if (steps.length === 0)
    throw new UsageError('USAGE', `What is to change in task #${id}? \`teams task update --help\` shows what can.`);
  for (const step of steps) await step();
  return handle.board.get(id);
});

function stepsOf({ board }: TeamHandle, id: string, options: Options): (() => Promise<Task>)[] {
  const { subject, description, activeForm, owner, block, unblock } = options;
  const words = {
    ...(subject === undefined ? {} : { subject }),
    ...(description === undefined ? {} : { description }),
    ...(activeForm === undefined ? {} : { activeForm }),
  };
  return [
    ...(Object.keys(words).length === 0 ? [] : [() => board.update(id, words)]),
    ...block.map((blocker) => () => board.block(id, blocker)),
    ...unblock.map((blocker) => () => board.unblock(id, blocker)),
    ...(owner === undefined ? [] : [() => board.assign(id, owner)]),
  ];
}
