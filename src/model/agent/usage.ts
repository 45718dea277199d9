/** The use of model calls: tokens as the vendor counts them, and their cost if known. */
import * as z from 'zod';

const tokens = z.number().int().min(0);

export const usageSchema = z.object({
  /** All input tokens, including those read from and written to a cache. */
  inputTokens: tokens,
  outputTokens: tokens,
  /** Part of the input tokens: read from the vendor's cache, written to it. */
  cacheReadTokens: tokens.optional(),
  cacheWriteTokens: tokens.optional(),
  /** The tokens that are in the agent's context now, and how many have place in it. */
  contextTokens: tokens.optional(),
  contextSize: tokens.optional(),
  /** The vendor's name of the model. */
  model: z.string().optional(),
  /** In US dollars, as the agent reports it; if absent, it is computed from the price list. */
  costUsd: z.number().min(0).optional(),
});
export type Usage = z.infer<typeof usageSchema>;

/** More than this in one turn is no measurement. */
const MOST_TOKENS = 1e10;
const MOST_USD = 1e6;

/** A count that a program tells; -1 stands for what is no number. */
export const toldNumber = z.number().catch(-1);

/** The sum of told counts; one that cannot be true makes the sum untrue. */
export const toldSum = (...counts: readonly number[]): number =>
  counts.every(isCount) ? counts.reduce((sum, count) => sum + count, 0) : -1;

/** Whether this can be what a turn used. What cannot be is unknown, and never counts as nothing. */
export const isBelievable = ({ costUsd = 0, ...usage }: Usage): boolean =>
  costUsd >= 0 &&
  costUsd <= MOST_USD &&
  [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens ?? 0, usage.cacheWriteTokens ?? 0].every(isCount);

const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0 && count <= MOST_TOKENS;

/** Milliseconds after which a limit that a vendor tells is whole again at the latest. */
export const LONGEST_TOLD_MS = 60 * 60_000;
