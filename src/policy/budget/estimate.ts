/** The most that a turn or a call can use, in the meters of a budget. */
import type { AgentSpec } from '../../model/agent/agent.ts';
import { usesModel } from '../../model/agent/agent-kinds.ts';
import { factsOf, type Price } from '../../model/agent/models.ts';
import type { Amount } from '../../model/team/budget.ts';
import { priceOf, type Prices } from '../../model/team/spending-sum.ts';
import type { BudgetAsk } from './admission.ts';

export interface PriceRules {
  /** By model; they override the known prices. */
  readonly prices?: Prices | undefined;
  /** A model without a price may work under a limit of cost. */
  readonly allowUnpriced?: boolean | undefined;
}

/** Tokens of input and output. */
interface CallTokens {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** With fewer tokens left for the answer a call makes no sense. */
const LEAST_ANSWER = 256;

/** Input may be written to the vendor's cache, which costs more than reading it. */
const dearest = ({ input, cacheWrite = input, cacheRead = input }: Exclude<Price, 'unknown'>): number =>
  Math.max(input, cacheWrite, cacheRead);

type Wanted = Pick<BudgetAsk, 'want' | 'least' | 'unpriced'>;

/** What a call may use: its input is counted, its output is capped. */
export function wantedByCall(kind: string, call: CallTokens, rules: PriceRules): Wanted {
  const { model, inputTokens, outputTokens } = call;
  const tokens = inputTokens + outputTokens;
  const least = inputTokens + Math.min(outputTokens, LEAST_ANSWER);
  const price = priceOf(kind, model, rules.prices ?? {});
  if (price === 'unknown')
    return {
      want: { tokens, cost: rules.allowUnpriced === true ? 0 : Infinity },
      least: { tokens: least },
      ...unpriced(model, rules),
    };
  const usd = (output: number): number => (inputTokens * dearest(price) + output * price.output) / 1e6;
  return {
    want: { tokens, cost: usd(outputTokens) },
    least: { tokens: least, cost: usd(Math.min(outputTokens, LEAST_ANSWER)) },
  };
}

const unpriced = (model: string, { allowUnpriced }: PriceRules): Pick<Wanted, 'unpriced'> =>
  allowUnpriced === true ? {} : { unpriced: model };

/** The most tokens of the answer, so that the call stays within what it holds. */
export function outputWithin(kind: string, call: CallTokens, hold: Amount, { prices }: PriceRules): number {
  const { model, inputTokens, outputTokens } = call;
  const price = priceOf(kind, model, prices ?? {});
  const byTokens = (hold.tokens ?? Infinity) - inputTokens;
  const byCost =
    price === 'unknown' || price.output === 0 || hold.cost === undefined
      ? Infinity
      : (hold.cost * 1e6 - inputTokens * dearest(price)) / price.output;
  return Math.max(1, Math.floor(Math.min(outputTokens, byTokens, byCost)));
}

/**
 * What a turn may use. A program is not told how much, so the median of its last turns is reserved, or the most that one
 * call of its model can use; where each call reserves for itself, the turn does not.
 *
 * @param turns what the last turns of this agent used
 * @param timeMs the turn's time-out
 */
export function wantedByTurn(
  spec: Pick<AgentSpec, 'kind' | 'model'>,
  { turns, timeMs }: { readonly turns: readonly Amount[]; readonly timeMs: number },
  rules: PriceRules & { readonly perCall: boolean },
): Wanted {
  const turn = { turns: 1, time: timeMs };
  const least = { turns: 1 };
  if (!usesModel(spec.kind) || rules.perCall) return { want: turn, least };
  const facts = spec.model === undefined ? undefined : factsOf(spec.model);
  const most =
    facts &&
    wantedByCall(
      spec.kind,
      { model: facts.model, inputTokens: facts.window - facts.output, outputTokens: facts.output },
      rules,
    );
  const cost = median(turns, 'cost') ?? most?.want.cost ?? Infinity;
  const tokens = median(turns, 'tokens') ?? most?.want.tokens ?? Infinity;
  return { want: { ...turn, tokens, cost: rules.allowUnpriced === true && cost === Infinity ? 0 : cost }, least };
}

function median(turns: readonly Amount[], meter: 'cost' | 'tokens'): number | undefined {
  const told = turns.flatMap((one) => one[meter] ?? []).sort((a, b) => a - b);
  return told[Math.floor(told.length / 2)];
}
