/** What a subscriber gets on stdin: each event of the board has a schema of its own name, `#/$defs/task.failed`. */
import * as z from 'zod';
import { changeSchema } from '../../../app.ts';
import { text, time } from './base-shapes.ts';
import { anyTask } from './task-shapes.ts';

const head = {
  team: text,
  /** The directory that holds `.teams`. */
  root: text,
  at: time,
  /** The member that it is about, or that did it. */
  member: text.optional(),
  /** Its content in one line. */
  text: z.string().optional(),
};
const task = anyTask.meta({ id: 'task' });

const boardEvents = changeSchema.options.map(({ shape }) => {
  const { type } = shape;
  const own = { ...('task' in shape ? { task } : {}), ...('request' in shape ? { request: text } : {}) };
  return z.strictObject({ ...head, ...own, type }).meta({ id: type.value });
});
const names = boardEvents.map(({ shape }) => shape.type.value.replace('.', String.raw`\.`)).join('|');

/** An event that is not of the board: it has more fields of its own. */
const loggedEvent = z
  .looseObject({
    ...head,
    type: z.string().regex(new RegExp(`^(?!(?:${names})$)[a-z_]+\\.[a-z_]+$`)),
    task: text.optional(),
  })
  .meta({ id: 'logged' });

export const subscriberLine = z.union([...boardEvents, loggedEvent]);
