/** `events.jsonl`: a line. */
import * as z from 'zod';

/** An event that is not on the board: agent output, alerts, refusals, receipts. `noun.verb`, past tense. */
export const teamEventSchema = z.looseObject({
  type: z.string().max(64),
  at: z.string().max(40),
  member: z.string().max(64).optional(),
  task: z.string().max(16).optional(),
  text: z.string().optional(),
});
export type TeamEvent = z.infer<typeof teamEventSchema>;
