/** `processes/<member>.json`: the process of a member, and what it says about itself. */
import * as z from 'zod';
import { folderIdentitySchema } from '../team/folder-identity.ts';
import { memberSchema } from '../text/names.ts';

/** States that a member's process reports about itself, beyond the board. */
export const NOTES = ['starting', 'idle', 'working', 'waiting', 'rate-limited', 'stopping'] as const;

export const processSchema = z.looseObject({
  version: z.number().int(),
  name: memberSchema,
  /** `spawning` is the intent, written before the fork; `running` is written by the process itself. */
  phase: z.enum(['spawning', 'running']),
  pid: z.number().int().positive().optional(),
  startTime: z.string().optional(),
  bootId: z.string().optional(),
  pidNamespace: z.string().optional(),
  incarnation: z.string().optional(),
  /** SHA-256 of the member's capability token. */
  tokenHash: z.string().optional(),
  mark: z.json().optional(),
  /** The team's folder that the process serves; absent in records of earlier versions. */
  folder: folderIdentitySchema.optional(),
  /** Of a lead: the marks of the programs that it runs by itself. */
  marks: z.array(z.json()).optional(),
  run: z.string().optional(),
  /** The revision of its configuration when its process was started. */
  revision: z.number().int().optional(),
  by_hand: z.boolean().optional(),
  /** The host of the store whose process started it. */
  host: z.string().optional(),
  started_at: z.number().optional(),
  /**
   * One more than the hops of the mail that the agent's present turn answers; messages of the turn's processes get it.
   */
  hops: z.number().int().min(0).optional(),
  note: z
    .looseObject({ state: z.enum(NOTES), reason: z.string(), since: z.number(), until: z.number().optional() })
    .optional(),
});
export type ProcessRecord = z.infer<typeof processSchema>;
