/**
 * The known models: the model of each tier by agent kind, context windows, and prices in US dollars per million tokens.
 * Prices change; these were read on 2026-11-22. A model that is not in the list has no price. The configuration
 * can override everything.
 */
import * as z from 'zod';
import { agentKindSchema, agentSpecSchema, tierSchema, type AgentSpec, type Tier } from './agent.ts';
import { hasToolLoop, type AgentKind } from './agent-kinds.ts';

export const priceSchema = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  /** Tokens read from a cache; the input price if absent. */
  cacheRead: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
});
/** US dollars per million tokens. */
export type Price = z.infer<typeof priceSchema>;

interface ModelFacts {
  /** The name, or its beginning up to a hyphen: a name with a date is the same model. */
  readonly model: string;
  /** Tokens, in and out together. */
  readonly window: number;
  /** The limit of output tokens that a request asks for. */
  readonly output: number;
  readonly price: Price | 'unknown';
}

const price = (input: number, output: number, cacheRead?: number, cacheWrite?: number): Price => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});

const model = (name: string, window: number, output: number, cost: Price | 'unknown'): ModelFacts => ({
  model: name,
  window,
  output,
  price: cost,
});

const CLAUDE: readonly ModelFacts[] = [
  model('claude-fable-5-1', 1_000_000, 32_000, price(10, 50)),
  model('claude-opus-5-5', 1_000_000, 32_000, price(4, 20, 0.2, 5)),
  model('claude-opus-5', 1_000_000, 32_000, price(5, 25, 0.5, 6.25)),
  model('claude-sonnet-5-5', 1_000_000, 32_000, price(2, 10, 0.2, 2.5)),
  model('claude-sonnet-5', 1_000_000, 32_000, price(2, 10, 0.2, 2.5)),
  // Up to 100,000 tokens it costs a fifth of this. Longer contexts cost this price, and a spending limit must hold.
  model('claude-haiku-5-5', 1_000_000, 32_000, price(0.5, 2.5, undefined, 0.625)),
  model('claude-haiku-4-5', 200_000, 16_000, price(1, 5, 0.1, 1.25)),
];

const GEMINI: readonly ModelFacts[] = [
  // Price until the end of 2026; twice as much from then on.
  model('gemini-3.8-flash', 1_000_000, 32_000, price(0.75, 3.75, 0.075)),
  model('gemini-3.5-flash-lite', 1_000_000, 32_000, 'unknown'),
  model('gemini-3.1-pro-preview', 1_000_000, 32_000, 'unknown'),
];

const GPT: readonly ModelFacts[] = [
  model('gpt-5.4', 400_000, 32_000, price(2.5, 15, 0.25)),
  model('gpt-5.4-mini', 400_000, 32_000, price(0.75, 4.5, 0.075)),
  model('gpt-5-mini', 400_000, 32_000, price(0.25, 2, 0.025)),
  model('gpt-5-nano', 400_000, 32_000, price(0.05, 0.4, 0.005)),
  model('gpt-4.1', 1_000_000, 32_000, price(2, 8, 0.5)),
];

const KNOWN: readonly ModelFacts[] = [...CLAUDE, ...GEMINI, ...GPT];

/** The facts of a model, by the longest known name that it begins with. */
export const factsOf = (name: string): ModelFacts | undefined =>
  KNOWN.filter((known) => name === known.model || name.startsWith(`${known.model}-`)).sort(
    (a, b) => b.model.length - a.model.length,
  )[0];

/** Model names by kind and tier: `{openai: {haiku: …}}`. */
export const modelsSchema = z.partialRecord(agentKindSchema, z.partialRecord(tierSchema, z.string().min(1).max(200)));

/** The part of a configuration that drivers of agents need. */
export const agentRulesSchema = z.object({
  /** Agents that may replace one that fails, in order. */
  fallback: z.array(agentSpecSchema).readonly(),
  /** As configured; they override the known models. */
  models: modelsSchema,
  /** The tier of an agent without one. */
  defaultModel: tierSchema,
  /** A turn ends after this many milliseconds without any event of its agent. */
  stallMs: z.number().optional(),
  /** As configured; they override the known prices. */
  prices: z.record(z.string(), priceSchema).optional(),
  /** A model without a price may work under a limit of cost; what it costs is then not counted. */
  allowUnpriced: z.boolean().optional(),
});

export type AgentRules = z.infer<typeof agentRulesSchema>;
export type ModelRules = Pick<AgentRules, 'models' | 'defaultModel'>;

/**
 * The model of an agent: its own, else its tier's. A program keeps the model that its user configured in the program,
 * unless a tier is asked for or configured.
 */
export function modelFor({ kind, model, tier }: AgentSpec, { models, defaultModel }: ModelRules): string | undefined {
  const wanted = tier ?? defaultModel;
  const known = tier !== undefined || hasToolLoop(kind) ? TIER_MODELS[kind]?.[wanted] : undefined;
  return model ?? models[kind]?.[wanted] ?? known;
}

/** The spec with the model of {@link modelFor}. */
export function withModel(spec: AgentSpec, rules: ModelRules): AgentSpec {
  const model = modelFor(spec, rules);
  return model === undefined ? spec : { ...spec, model };
}

/** The model of each tier by kind; a kind that is missing here has none. */
export const TIER_MODELS: Readonly<Partial<Record<AgentKind, Readonly<Record<Tier, string>>>>> = {
  claude: { haiku: 'haiku', sonnet: 'sonnet', opus: 'opus' },
  anthropic: { haiku: 'claude-haiku-5-5', sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5' },
  gemini: { haiku: 'gemini-3.5-flash-lite', sonnet: 'gemini-3.8-flash', opus: 'gemini-3.1-pro-preview' },
  google: { haiku: 'gemini-3.5-flash-lite', sonnet: 'gemini-3.8-flash', opus: 'gemini-3.1-pro-preview' },
};
