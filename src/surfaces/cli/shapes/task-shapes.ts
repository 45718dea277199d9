/** What the task verbs print with `--json`. A task has the keys that it is stored with. */
import * as z from 'zod';
import { answer, counted, json, text, time, type VerbShape, taskWords } from './base-shapes.ts';

export const work = z.strictObject({
  run: z.union([text, z.array(z.string())]).optional(),
  prompt: z.string().optional(),
  artifact: text.optional(),
  verify: z.array(text),
  files: z.array(text),
  env: z.record(z.string(), z.string()),
  timeoutMs: counted.optional(),
});
const claim = z.strictObject({ member: text, incarnation: text, epoch: counted });
const result = z.strictObject({
  summary: z.string(),
  hash: text.optional(),
  exitCode: z.number().optional(),
  files: z.array(text),
});
const attempt = z.strictObject({ commit: text, base: text });
const bounced = z.strictObject({
  count: counted,
  cause: z.enum(['conflict', 'gate', 'stray']),
  why: z.string(),
  files: z.array(text),
  attempt,
  since: time,
});
const facts = {
  id: z.string().regex(/^[1-9][0-9]*$/),
  team: text,
  ...taskWords,
  blockedBy: z.array(text),
  work,
  attempts: counted,
  retries: counted,
  lost: counted,
  claims: counted,
  required: z.boolean(),
  note: text.optional(),
  bounced: bounced.optional(),
  metadata: json,
  created_at: time,
  updated_at: time,
};
const past = z.array(z.strictObject({ at: time, type: z.string().startsWith('task.'), by: text }));
const taskWith = <Extra extends z.ZodRawShape>(extra: Extra) => {
  const all = { ...facts, ...extra };
  return z.discriminatedUnion('status', [
    z.strictObject({
      ...all,
      status: z.literal('pending'),
      lastFailure: z.string().optional(),
      retried: z.literal(true).optional(),
    }),
    z.strictObject({ ...all, status: z.literal('in_progress'), claim, claimed_at: time }),
    z.strictObject({
      ...all,
      status: z.literal('landing'),
      result,
      by: claim,
      claimed_at: time,
      submitted_at: time,
      attempt,
    }),
    z.strictObject({
      ...all,
      status: z.literal('completed'),
      result,
      by: claim,
      claimed_at: time,
      landed: z.strictObject({ commit: text, attempt }).optional(),
    }),
    z.strictObject({ ...all, status: z.literal('failed'), reason: text, code: text, by: claim.optional() }),
    z.strictObject({ ...all, status: z.literal('skipped'), reason: text, because: text.optional() }),
    z.strictObject({ ...all, status: z.literal('cancelled'), reason: text }),
  ]);
};

/** A task as the board has it. */
export const anyTask = taskWith({});
export const task = answer({ task: anyTask });
export const taskInFull = answer({ task: taskWith({ history: past }) });
export const tasks = answer({ tasks: z.array(taskWith({})) });
/** The answer to `task complete` or `task fail` of an agent with a runner. */
export const verdict = answer({ task: taskWith({}), verdict: z.looseObject({ result: text }) });

const ONE: VerbShape = { answers: [task] };
const ENDED: VerbShape = { answers: [task, verdict] };

export const TASK_SHAPES: Readonly<Record<string, VerbShape>> = {
  'task create': ONE,
  'task list': { answers: [tasks] },
  'task get': { answers: [taskInFull] },
  'task update': ONE,
  'task claim': ONE,
  'task complete': ENDED,
  'task fail': ENDED,
  'task release': ONE,
  'task retry': ONE,
  'task skip': ONE,
  'task unblock': ONE,
  'task approve': ONE,
  'task refuse': ONE,
  'task revise': ONE,
};
