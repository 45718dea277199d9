/** What model calls used: tokens as the vendor counts them, and what they cost where anybody knows. */
import * as z from 'zod';

const tokens = z.number().int().min(0);

export const usageSchema = z.object({
  /** All input tokens, those read from and written to a cache included. */
  inputTokens: tokens,
  outputTokens: tokens,
  /** Of the input tokens: read from the vendor's cache, written to it. */
  cacheReadTokens: tokens.optional(),
  cacheWriteTokens: tokens.optional(),
  /** The model, in its vendor's words. */
  model: z.string().optional(),
  /** As the agent itself says; else it is reckoned from a price list. */
  costUsd: z.number().min(0).optional(),
});
export type Usage = z.infer<typeof usageSchema>;
