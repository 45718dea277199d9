/** What the mail verbs print with `--json`. A message has the keys that it is stored with. */
import * as z from 'zod';
import { answer, counted, json, text, type VerbShape } from './base-shapes.ts';

const sent = z.strictObject({ recipient: text, id: text });
const notSent = z.strictObject({ recipient: text, error: text });
export const receipts = answer({ receipts: z.array(z.union([sent, notSent])) });

const stored = {
  type: text,
  sender: text,
  content: z.string(),
  timestamp: z.number(),
  id: text,
  recipient: text,
  kind: text.optional(),
  request_id: text.optional(),
  task_id: text.optional(),
  reply_to: text.optional(),
  epoch: counted.optional(),
  hops: counted.optional(),
  data: json.optional(),
};
/** A line of a stream also has `schemaVersion`. */
export const message = answer(stored);
export const messages = answer({ messages: z.array(z.strictObject(stored)) });
/** `redelivered` marks a message that may have been printed before. */
const taken = answer({ messages: z.array(z.strictObject({ ...stored, redelivered: z.literal(true).optional() })) });

export const approvals = answer({
  team: text,
  asked: z.array(
    z.strictObject({
      id: text,
      member: text,
      task: text.nullable(),
      tool: z.string(),
      text: z.string(),
      at: text,
      outcome: z.enum(['open', 'allowed', 'refused', 'withdrawn']),
      answer: z.string().nullable(),
    }),
  ),
  allowed: z.array(z.strictObject({ tool: z.string(), text: z.string(), at: text })),
});

export const MAIL_SHAPES: Readonly<Record<string, VerbShape>> = {
  send: { answers: [receipts] },
  answer: { answers: [receipts] },
  approvals: { answers: [approvals] },
  inbox: { answers: [messages], lines: [message] },
  take: { answers: [taken] },
};
