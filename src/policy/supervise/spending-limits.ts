/** Hard limits of a run on money and tokens (`--max-cost`, `--max-tokens`). */
import type { Spending } from '../../model/team/spending-sum.ts';

export interface SpendingLimits {
  /** US dollars. */
  readonly maxCost?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/**
 * @returns why the run ends now; undefined if it may continue. A model without a price ends a run that has a cost
 * limit, because its cost is unknown.
 */
export function overspent(
  { tokens, usd, unpriced, unknown }: Spending,
  { maxCost, maxTokens }: SpendingLimits,
): string | undefined {
  if (maxTokens !== undefined && tokens >= maxTokens)
    return `${tokens} tokens were used; --max-tokens is ${maxTokens}.`;
  const [untrue] = unknown;
  if (untrue !== undefined && (maxTokens ?? maxCost) !== undefined)
    return `What ${untrue} used is unknown: its agent told numbers that cannot be true, so no limit can be enforced; run without --max-cost and --max-tokens, or with another agent.`;
  if (maxCost === undefined) return undefined;
  if (usd >= maxCost) return `$${usd.toFixed(4)} was spent; --max-cost is $${maxCost}.`;
  const [model] = unpriced;
  return model === undefined
    ? undefined
    : `The price of ${model} is unknown, so --max-cost cannot be enforced: give one under "prices" in the configuration, or limit by --max-tokens.`;
}
