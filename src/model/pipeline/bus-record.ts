/** A record of S4's message bus: what a role told its coordinator, numbered in the order of the telling. */
import * as z from 'zod';

export const busTypeSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'Expected a message type of lower-case letters, digits and "_".');

export const busRecordSchema = z.object({
  /** From 1, without a gap. */
  seq: z.number().int().positive(),
  session: z.string().max(128),
  from: z.string().max(64),
  to: z.string().max(64),
  /** One of the role's message types. */
  kind: busTypeSchema,
  /** `[role] …` */
  summary: z.string().max(4_096),
  /** The artifact that it is about. */
  ref: z.string().max(4_096).optional(),
  /** What caused it: the same cause is told once. */
  cause: z.string().max(256).optional(),
});
export type BusRecord = z.infer<typeof busRecordSchema>;
export type BusEntry = Omit<BusRecord, 'seq'>;

/** With the tag by which its reader knows who speaks. */
export const tagged = (role: string, text: string): string =>
  text.startsWith(`[${role}]`) ? text : `[${role}] ${text}`;
