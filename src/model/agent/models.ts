/**
 * The models that we know: what the three tiers are called by each kind of agent, how much goes into a model, and what a
 * million of its tokens cost in US dollars. Prices change; this list says of when it is, and a model that is not on it
 * has none. All of it can be overridden in the configuration.
 */
import * as z from 'zod';
import { agentKindSchema, agentSpecSchema, tierSchema, type AgentSpec, type Tier } from './agent.ts';
import { hasToolLoop, type AgentKind } from './agent-kinds.ts';

/** When the prices were looked up. */
export const PRICES_AS_OF = '2026-11-22';

export const priceSchema = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  /** Read from a cache; as the input where it is left out. */
  cacheRead: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
});
/** US dollars for a million tokens. */
export type Price = z.infer<typeof priceSchema>;

export interface ModelFacts {
  /** The name, or its beginning, up to a hyphen: a dated name is the same model. */
  readonly model: string;
  /** Tokens, in and out together. */
  readonly window: number;
  /** Tokens of one answer that are asked for. */
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
  // Up to 100,000 tokens it costs a fifth of this; what is longer costs so much, and a limit must hold.
  model('claude-haiku-5-5', 1_000_000, 32_000, price(0.5, 2.5, undefined, 0.625)),
  model('claude-haiku-4-5', 200_000, 16_000, price(1, 5, 0.1, 1.25)),
];

const GEMINI: readonly ModelFacts[] = [
  // Until the end of 2026; twice as much from then on.
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

/** What is known of a model, by the longest name that begins it. */
export const factsOf = (name: string): ModelFacts | undefined =>
  KNOWN.filter((known) => name === known.model || name.startsWith(`${known.model}-`)).sort(
    (a, b) => b.model.length - a.model.length,
  )[0];

/** What a tier is called by a kind: `{openai: {haiku: …}}`. */
export const modelsSchema = z.partialRecord(agentKindSchema, z.partialRecord(tierSchema, z.string().min(1).max(200)));

/** What a configuration says of the agents of a team, for those who drive them. */
export const agentRulesSchema = z.object({
  /** Who may stand in for an agent that fails, in order. */
  fallback: z.array(agentSpecSchema).readonly(),
  /** As configured, before those that are known. */
  models: modelsSchema,
  /** The tier of whoever has none. */
  defaultModel: tierSchema,
  /** Milliseconds without any sign of an agent that end its turn. */
  stallMs: z.number().optional(),
});

export type AgentRules = z.infer<typeof agentRulesSchema>;
export type ModelRules = Pick<AgentRules, 'models' | 'defaultModel'>;

/**
 * Which model an agent uses: the one that is named, else its tier's. A program of its own keeps the model that its user
 * gave it, as long as nobody asks for a tier or configures one.
 */
export function modelFor({ kind, model, tier }: AgentSpec, { models, defaultModel }: ModelRules): string | undefined {
  const wanted = tier ?? defaultModel;
  const known = tier !== undefined || hasToolLoop(kind) ? TIER_MODELS[kind]?.[wanted] : undefined;
  return model ?? models[kind]?.[wanted] ?? known;
}

/** A spec with the model of {@link modelFor}. */
export function withModel(spec: AgentSpec, rules: ModelRules): AgentSpec {
  const model = modelFor(spec, rules);
  return model === undefined ? spec : { ...spec, model };
}

/** The tiers in each kind's words; a kind that is not here has none of its own. */
export const TIER_MODELS: Readonly<Partial<Record<AgentKind, Readonly<Record<Tier, string>>>>> = {
  claude: { haiku: 'haiku', sonnet: 'sonnet', opus: 'opus' },
  anthropic: { haiku: 'claude-haiku-5-5', sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5' },
  gemini: { haiku: 'gemini-3.5-flash-lite', sonnet: 'gemini-3.8-flash', opus: 'gemini-3.1-pro-preview' },
  google: { haiku: 'gemini-3.5-flash-lite', sonnet: 'gemini-3.8-flash', opus: 'gemini-3.1-pro-preview' },
};
