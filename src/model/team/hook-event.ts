/**
 * What the user's hooks get on stdin, one line each; `schemas/` publishes a JSON Schema of each. What subscribers get is
 * in `surfaces/cli/shapes/subscriber-shapes.ts`.
 */
import * as z from 'zod';
import { EVENT_NOUNS } from './shown-event.ts';
import { nearest } from '../text/did-you-mean.ts';

const text = z.string();
const head = {
  /** Seconds since 1970. */
  at: z.number(),
  team: text,
  /** The directory that holds `.teams`. */
  root: text,
};

export const HOOK_SCHEMAS = {
  onTaskCompleted: z.object({
    hook: z.literal('onTaskCompleted'),
    ...head,
    member: text,
    /** The end of the result. */
    result: text,
    task: z.object({
      id: text,
      subject: text,
      description: text,
      attempts: z.number(),
      metadata: z.record(text, z.json()),
      files: z.array(text),
    }),
  }),
  onTeammateIdle: z.object({
    hook: z.literal('onTeammateIdle'),
    ...head,
    member: text,
    /** How many tasks it has completed. */
    completed: z.number(),
  }),
  onWaiting: z.object({
    hook: z.literal('onWaiting'),
    ...head,
    /** The id with which it is answered. */
    request: text,
    kind: text,
    member: text,
    task: text.optional(),
    text,
    since: text,
  }),
  /** `report` is what `teams report --json` prints. */
  onFinished: z.object({ hook: z.literal('onFinished'), ...head, report: z.record(text, z.json()) }),
};

/** `task.failed`, `task.*` or `*`. */
export const eventPatternSchema = z.string().superRefine((pattern, context) => {
  if (pattern === '*') return;
  const noun = /^([a-z_]+)\.(?:\*|[a-z_]+)$/.exec(pattern)?.[1];
  if (noun !== undefined && EVENT_NOUNS.has(noun)) return;
  const near = nearest(noun ?? pattern, EVENT_NOUNS);
  context.addIssue({
    code: 'custom',
    message: `Expected the name of an event such as task.failed, task.* or *, got ${JSON.stringify(pattern)}${near === undefined ? '.' : `; did you mean ${near}.*?`}`,
  });
});

/** Whether an event has the name of a pattern. What hooks and subscribers do themselves is given to none. */
export function isSubscribed(pattern: string, type: string): boolean {
  if (type.startsWith('hook.')) return false;
  return pattern === '*' || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));
}
