/**
 * A record of a pipeline's message bus (docs/specification.md R10.16): a message of a role to its coordinator, numbered
 * in order.
 */
import * as z from 'zod';

export const busTypeSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'Expected a message type of lower-case letters, digits and "_".');

export const busRecordSchema = z.object({
  /** From 1, without gaps. */
  seq: z.number().int().positive(),
  session: z.string().max(128),
  from: z.string().max(64),
  to: z.string().max(64),
  /** One of the role's message types. */
  kind: busTypeSchema,
  /** `[role] …` */
  summary: z.string().max(4_096),
  /** The path of the artifact. */
  ref: z.string().max(4_096).optional(),
  /** The cause of the message; one cause is recorded only once. */
  cause: z.string().max(256).optional(),
});
export type BusRecord = z.infer<typeof busRecordSchema>;
export type BusEntry = Omit<BusRecord, 'seq'>;

/** The text with the role's tag, which names the sender. */
export const tagged = (role: string, text: string): string =>
  text.startsWith(`[${role}]`) ? text : `[${role}] ${text}`;
