/** Which model an agent uses, and the size of its window. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { UsageError } from '../../model/text/errors.ts';
import { factsOf, TIER_MODELS } from '../../model/agent/models.ts';
import type { Window } from './compaction.ts';
import { loopOptions } from './model-vendor.ts';

/** An unknown model counts as small, so that the first call does not overflow. */
const UNKNOWN: Window = { tokens: 128_000, output: 8_000 };

/** @throws UsageError `USAGE` when no model is named */
export function modelName({ kind, model, tier = 'sonnet' }: AgentSpec): string {
  const name = model ?? TIER_MODELS[kind]?.[tier];
  if (name !== undefined) return name;
  throw new UsageError(
    'USAGE',
    `Which model? A ${kind} agent needs "model" (or "models.${kind}.${tier}" in the configuration).`,
  );
}

/** An unknown model sees none, unless the options say so: it might refuse the whole conversation. */
export const seesImages = (spec: AgentSpec, name: string): boolean =>
  loopOptions(spec).images ?? factsOf(name) !== undefined;

export function windowOf(spec: AgentSpec, name: string, unknown = UNKNOWN): Window {
  const { contextWindow, maxOutputTokens } = loopOptions(spec);
  const facts = factsOf(name);
  const tokens = contextWindow ?? facts?.window ?? unknown.tokens;
  return { tokens, output: maxOutputTokens ?? Math.min(facts?.output ?? unknown.output, Math.floor(tokens / 4)) };
}
