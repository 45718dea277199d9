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
  /** The vendor's name of the model. */
  model: z.string().optional(),
  /** In US dollars, as the agent reports it; if absent, it is computed from the price list. */
  costUsd: z.number().min(0).optional(),
});
export type Usage = z.infer<typeof usageSchema>;
