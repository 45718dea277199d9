/** The event that records what an agent used (`agent.spent`), and the sum of these events. */
import * as z from 'zod';
import { recordOf, isAgentKind, type AgentKind } from '../agent/agent-kinds.ts';
import { factsOf, type Price } from '../agent/models.ts';
import type { TeamEvent } from './team-event.ts';
import { isBelievable, type Usage } from '../agent/usage.ts';

const SPENT = 'agent.spent';

const tokens = z.number().int().min(0);
const spentSchema = z.looseObject({
  type: z.literal(SPENT),
  kind: z.string(),
  model: z.string().optional(),
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens.optional(),
  cache_write_tokens: tokens.optional(),
  cost_usd: z.number().min(0).optional(),
  /** What the agent told cannot be true. */
  unknown: z.literal(true).optional(),
});

export const spendingEvent = (kind: AgentKind, usage: Usage): { type: string; text: string; [key: string]: unknown } =>
  isBelievable(usage) ? knownEvent(kind, usage) : unknownEvent(kind, usage);

const unknownEvent = (kind: AgentKind, { inputTokens, outputTokens, costUsd, model }: Usage) => ({
  type: SPENT,
  kind,
  model,
  input_tokens: 0,
  output_tokens: 0,
  unknown: true,
  text: `unknown: it told ${inputTokens} tokens in, ${outputTokens} out${costUsd === undefined ? '' : `, $${costUsd}`}`,
});

const knownEvent = (kind: AgentKind, usage: Usage) => ({
  type: SPENT,
  kind,
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  model: usage.model,
  cache_read_tokens: usage.cacheReadTokens,
  cache_write_tokens: usage.cacheWriteTokens,
  cost_usd: usage.costUsd,
  context_tokens: usage.contextTokens,
  context_size: usage.contextSize,
  text: `${usage.inputTokens} tokens in, ${usage.outputTokens} out${contextText(usage)}`,
});

const contextText = ({ contextTokens, contextSize = 0 }: Usage): string =>
  contextTokens === undefined || contextSize === 0
    ? ''
    : `; its context is ${Math.round((100 * contextTokens) / contextSize)} % full`;

export interface Spending {
  readonly tokens: number;
  /** US dollars of the use that has a price. */
  readonly usd: number;
  /** Used models without a known price. */
  readonly unpriced: readonly string[];
  /** Used models whose agent told a usage that cannot be true. */
  readonly unknown: readonly string[];
}

export const NOTHING_SPENT: Spending = { tokens: 0, usd: 0, unpriced: [], unknown: [] };

export type Prices = Readonly<Record<string, Price>>;

/**
 * @param prices by model; they override the known prices
 * @returns the sum including this event; unchanged for any other event
 */
export function spentAfter(sum: Spending, event: TeamEvent, prices: Prices = {}): Spending {
  const parsed = event.type === SPENT ? spentSchema.safeParse(event) : undefined;
  if (!parsed?.success) return sum;
  const { kind, model = kind, input_tokens, output_tokens } = parsed.data;
  const including = (names: readonly string[]): readonly string[] =>
    names.includes(model) ? names : [...names, model];
  if (parsed.data.unknown === true)
    return { ...sum, unpriced: including(sum.unpriced), unknown: including(sum.unknown) };
  const cost = costOf(parsed.data, kind, prices);
  return {
    ...sum,
    tokens: sum.tokens + input_tokens + output_tokens,
    usd: sum.usd + (cost ?? 0),
    unpriced: cost === undefined ? including(sum.unpriced) : sum.unpriced,
  };
}

/** US dollars by the known price of the model; undefined if it has none. */
export function estimatedUsd({
  model,
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Usage): number | undefined {
  const price = factsOf(model ?? '')?.price;
  if (price === undefined || price === 'unknown') return undefined;
  return usdAt(price, {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_tokens: cacheReadTokens,
    cache_write_tokens: cacheWriteTokens,
  });
}

const costOf = (spent: z.infer<typeof spentSchema>, kind: string, prices: Prices): number | undefined => {
  if (spent.cost_usd !== undefined) return spent.cost_usd;
  const price = priceOf(kind, spent.model ?? '', prices);
  return price === 'unknown' ? undefined : usdAt(price, spent);
};

/** @param prices by model; they override the known prices */
export function priceOf(kind: string, model: string, prices: Prices): Price | 'unknown' {
  // The user's own machine sends no bill.
  if (isAgentKind(kind) && recordOf(kind).isFree) return { input: 0, output: 0 };
  // A server may send any model name: `__proto__` has no price.
  const given = Object.hasOwn(prices, model) ? prices[model] : undefined;
  return given ?? factsOf(model)?.price ?? 'unknown';
}

type Counted = Pick<z.infer<typeof spentSchema>, 'input_tokens' | 'output_tokens'> & {
  readonly cache_read_tokens?: number | undefined;
  readonly cache_write_tokens?: number | undefined;
};

function usdAt(
  { input, output, cacheRead = input, cacheWrite = input }: Exclude<Price, 'unknown'>,
  { input_tokens, output_tokens, cache_read_tokens = 0, cache_write_tokens = 0 }: Counted,
): number {
  const plain = Math.max(0, input_tokens - cache_read_tokens - cache_write_tokens);
  const millionths =
    plain * input + cache_read_tokens * cacheRead + cache_write_tokens * cacheWrite + output_tokens * output;
  return millionths / 1_000_000;
}
