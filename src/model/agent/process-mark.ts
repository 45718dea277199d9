/**
 * Marks, by which a teammate's processes are recognised, as `processes/<name>.json` records them; and the messages of a
 * lead to its reaper. `os/mark-environment.ts` draws marks and finds them.
 */
import * as z from 'zod';

/** Top-level marks are this many values wide and begin at a multiple of it. */
export const BLOCK = 256;

const evidence = {
  /** Unique; begins with the run. */
  id: z.string().min(1),
  /** The run's ULID. */
  run: z.string().min(1),
  /** Start time of the lead that drew the mark: an older process is not ours. */
  since: z.number().int().nonnegative(),
  /** A mark is valid only in this boot. */
  bootId: z.string(),
};

const limit = {
  low: z.number().int().min(BLOCK),
  high: z.number().int(),
  /** The limit with which the process starts; low and high may be wider, for teams inside the teammate. */
  value: z.number().int(),
};

/** A mark whose limits span more than one block is refused: it could match processes of the whole host. */
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
  /**
   * The reaper will end all processes with this mark. If the message is repeated with other processes, all of them are
   * kept.
   */
  z.object({ add: markSchema, pids: z.array(identitySchema).readonly().default([]) }),
  /** No process carries this mark any longer. */
  z.object({ remove: z.string() }),
  /** The team has ended in order. */
  z.object({ done: z.literal(true) }),
]);

export type ReaperMessage = z.infer<typeof reaperMessageSchema>;
