/**
 * A mark: how the processes of one teammate are known, as `processes/<name>.json` keeps it; and what a lead tells its
 * reaper about marks. Drawn and looked for in `os/mark-environment.ts`.
 */
import * as z from 'zod';

/** Top-level marks are this many values wide, and begin at a multiple of it. */
export const BLOCK = 256;

const evidence = {
  /** Unique; begins with the run. */
  id: z.string().min(1),
  /** The run's ULID. */
  run: z.string().min(1),
  /** Start time of the lead that drew the mark: whatever started earlier is not ours. */
  since: z.number().int().nonnegative(),
  /** A mark means nothing in another boot. */
  bootId: z.string(),
};

const limit = {
  low: z.number().int().min(BLOCK),
  high: z.number().int(),
  /** The limit to start with; low and high may be wider, for teams inside the teammate. */
  value: z.number().int(),
};

/** A mark whose limits span more than a block is refused: it could match the whole host. */
export const markSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('limit'), ...evidence, ...limit }),
    z.object({ kind: z.literal('environment'), ...evidence }),
  ])
  .refine(
    (mark) =>
      mark.kind === 'environment' ||
      (mark.low <= mark.value && mark.value <= mark.high && mark.high - mark.low < BLOCK),
    { message: `Expected low ≤ value ≤ high, within ${BLOCK} values` },
  )
  .readonly();

export type Mark = z.infer<typeof markSchema>;

const identitySchema = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
  pidNamespace: z.string(),
});

export const reaperMessageSchema = z.union([
  /** Be ready to end what carries this mark; said again with more processes, all of them are known. */
  z.object({ add: markSchema, pids: z.array(identitySchema).readonly().default([]) }),
  /** Nothing carries this mark any more. */
  z.object({ remove: z.string() }),
  /** The team has ended in order. */
  z.object({ done: z.literal(true) }),
]);

export type ReaperMessage = z.infer<typeof reaperMessageSchema>;
