/** `vendors.json`: which vendors asked for a pause. */
import * as z from 'zod';
import { failureClassSchema } from './agent.ts';

/** What members recorded about vendors: pauses that vendors asked for, and agents that cannot work at all. */
export const vendorsSchema = z.looseObject({
  version: z.number().int(),
  vendors: z.record(
    z.string(),
    z.looseObject({
      refusals: z.number().int().min(0),
      /** Milliseconds since 1970. */
      until: z.number(),
      /** How long that pause was when it began: a clock that is set back makes no pause longer. */
      length: z.number().optional(),
      /** How many calls may be unanswered at once. */
      slots: z.number().int().optional(),
      /** By member, when its call began that is neither answered nor refused: milliseconds since 1970. */
      open: z.record(z.string(), z.number()).optional(),
    }),
  ),
  /** By the hash of an agent's spec; valid only during the epoch of the lead under which it was recorded. */
  unfit: z.record(z.string(), z.looseObject({ fault: failureClassSchema, epoch: z.number().int() })).optional(),
});
export type VendorPauses = z.infer<typeof vendorsSchema>;
