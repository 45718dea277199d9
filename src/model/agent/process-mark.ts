/**
 * Marks, by which a teammate's processes are recognised, as `processes/<name>.json` records them; and the messages of a
 * lead to its reaper. `os/mark-environment.ts` draws marks and finds them.
 */
import * as z from 'zod';
import { processIdentitySchema } from './process-identity.ts';

/**
 * The resource whose hard limit carries the mark. `locks` is drawn at random and needs no reservation; `msgqueue` has
 * few values. It is used below a foreign limit of locks, and by records of earlier versions, which name no resource.
 */
export type MarkResource = 'locks' | 'msgqueue';

/** Top-level marks are less than this many values wide and lie within one multiple of it. */
export const BLOCK: Readonly<Record<MarkResource, number>> = { locks: 2 ** 16, msgqueue: 256 };

/** A limit of locks in this range is a mark. Smaller ones are set by administrators; larger ones are not exact. */
export const LOCK_MARKS = { from: 2 ** 32, to: 2 ** 52 };

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
  resource: z.enum(['locks', 'msgqueue']).default('msgqueue'),
  low: z.number().int().min(BLOCK.msgqueue),
  high: z.number().int(),
  /** The limit with which the process starts; low and high may be wider, for teams inside the teammate. */
  value: z.number().int(),
};

/**
 * A mark whose limits span more than one block, or reach limits that an administrator sets, is refused: it could match
 * processes of the whole host.
 */
export const markSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('limit'), ...evidence, ...limit }),
    z.object({ kind: z.literal('environment'), ...evidence }),
  ])
  .refine((mark) => mark.kind === 'environment' || isWithinOneBlock(mark), {
    message: 'Expected low ≤ value ≤ high, within one block',
  })
  .readonly();

export type Mark = z.infer<typeof markSchema>;

/** A range of limits. */
export interface LimitRange {
  readonly resource: MarkResource;
  readonly low: number;
  readonly high: number;
  readonly value: number;
}

/** Whether low ≤ value ≤ high, within one block. */
export function isWithinOneBlock({ resource, low, high, value }: LimitRange): boolean {
  if (low > value || value > high || high - low >= BLOCK[resource]) return false;
  if (resource === 'msgqueue') return true;
  const isAligned = Math.floor(low / BLOCK.locks) === Math.floor(high / BLOCK.locks) && low % BLOCK.locks !== 0;
  return isAligned && low > LOCK_MARKS.from && high < LOCK_MARKS.to;
}

export const reaperMessageSchema = z.union([
  /**
   * The reaper will end all processes with this mark. If the message is repeated with other processes, all of them are
   * kept.
   */
  z.object({ add: markSchema, pids: z.array(processIdentitySchema).readonly().default([]) }),
  /** No process carries this mark any longer. */
  z.object({ remove: z.string() }),
  /** The team has ended in order. */
  z.object({ done: z.literal(true) }),
]);

export type ReaperMessage = z.infer<typeof reaperMessageSchema>;
