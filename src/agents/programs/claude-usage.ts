/**
 * What a turn of Claude Code uses. Each answer of its model tells its own usage, so that a limit holds inside a turn and
 * a turn that is broken off is in the bill; its result tells the sum and the price, of which the rest is told then.
 */
import { estimatedUsd } from '../../model/team/spending-sum.ts';
import { isBelievable, toldSum } from '../../model/agent/usage.ts';
import { tellStep, type AgentStep } from './agent-step.ts';

/** Counts as Claude tells them; -1 stands for what is no number. */
interface ClaudeCounts {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number | undefined;
  readonly cache_creation_input_tokens?: number | undefined;
}

/** An answer of the model; its parts come one by one, all with its id. */
interface Answer {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: ClaudeCounts | undefined;
}

interface Counts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

const NONE: Counts = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export class ClaudeUsage {
  readonly #answers = new Map<string, Counts>();
  #told = NONE;
  #toldUsd = 0;
  /** Whether what was told has a price only with the result. */
  #isUnpriced = false;

  /** The steps that tell what an answer used beyond what was told of it. */
  answered({ id, model, usage }: Answer): AgentStep[] {
    if (id === undefined || usage === undefined) return [];
    const counts = countsOf(usage);
    const more = difference(counts, this.#answers.get(id) ?? NONE);
    if (!isBelievable(counts) || isNothing(more)) return [];
    this.#answers.set(id, counts);
    this.#told = sum(this.#told, more);
    const usd = estimatedUsd({ ...more, model });
    this.#isUnpriced ||= usd === undefined;
    this.#toldUsd += usd ?? 0;
    return [tellStep({ type: 'usage', usage: { ...more, model, costUsd: usd ?? 0 } })];
  }

  /**
   * The steps that tell the rest of the turn.
   *
   * @param usd what the whole turn cost, in US dollars; negative if it tells nonsense
   */
  ended(usage: ClaudeCounts | undefined, usd: number | undefined): AgentStep[] {
    const [told, toldUsd] = [this.#told, this.#toldUsd];
    this.#forget();
    if (usage === undefined) return [];
    const counts = countsOf(usage);
    if (!isBelievable(counts)) return [tellStep({ type: 'usage', usage: { ...counts, costUsd: usd } })];
    const rest = difference(counts, told);
    const costUsd = usd === undefined || usd < 0 ? usd : Math.max(0, usd - toldUsd);
    const isAll = isNothing(rest) && (costUsd === 0 || costUsd === undefined);
    return isAll ? [] : [tellStep({ type: 'usage', usage: { ...rest, costUsd } })];
  }

  /** The steps that tell of a turn without a result: its price is unknown if its answers had none. */
  brokenOff(): AgentStep[] {
    const isUnknown = this.#isUnpriced;
    this.#forget();
    return isUnknown ? [tellStep({ type: 'usage', usage: { inputTokens: -1, outputTokens: -1 } })] : [];
  }

  #forget(): void {
    this.#answers.clear();
    this.#told = NONE;
    this.#toldUsd = 0;
    this.#isUnpriced = false;
  }
}

function countsOf(usage: ClaudeCounts): Counts {
  const { cache_read_input_tokens: cacheReadTokens = 0, cache_creation_input_tokens: cacheWriteTokens = 0 } = usage;
  const inputTokens = toldSum(usage.input_tokens, cacheReadTokens, cacheWriteTokens);
  return { inputTokens, outputTokens: usage.output_tokens, cacheReadTokens, cacheWriteTokens };
}

const combined = (one: Counts, other: Counts, by: (a: number, b: number) => number): Counts => ({
  inputTokens: by(one.inputTokens, other.inputTokens),
  outputTokens: by(one.outputTokens, other.outputTokens),
  cacheReadTokens: by(one.cacheReadTokens, other.cacheReadTokens),
  cacheWriteTokens: by(one.cacheWriteTokens, other.cacheWriteTokens),
});

const sum = (one: Counts, other: Counts): Counts => combined(one, other, (a, b) => a + b);
const difference = (one: Counts, other: Counts): Counts => combined(one, other, (a, b) => Math.max(0, a - b));

const isNothing = ({ inputTokens, outputTokens }: Counts): boolean => inputTokens === 0 && outputTokens === 0;
