import { expect, it } from 'vitest';
import type { AgentStep } from '../../../src/agents/programs/agent-step.ts';
import { ClaudeUsage } from '../../../src/agents/programs/claude-usage.ts';
import type { Usage } from '../../../src/model/agent/usage.ts';

const usagesIn = (steps: readonly AgentStep[]): Usage[] =>
  steps.flatMap((step) => (step.do === 'tell' && step.event.type === 'usage' ? [step.event.usage] : []));

const SONNET = 'claude-sonnet-5';
const counts = (input: number, output: number, cached = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached,
});

const total = (usages: readonly Usage[]): { input: number; output: number; usd: number } => ({
  input: usages.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
  output: usages.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  usd: usages.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
});

it('each answer is told once when it comes, and the result tells the rest and the price', () => {
  const usage = new ClaudeUsage();
  const first = usagesIn(usage.answered({ id: 'a', model: SONNET, usage: counts(1_000, 1, 2_000) }));
  expect(first).toMatchObject([{ inputTokens: 3_000, outputTokens: 1, cacheReadTokens: 2_000, model: SONNET }]);
  const again = usagesIn(usage.answered({ id: 'a', model: SONNET, usage: counts(1_000, 40, 2_000) }));
  expect(again).toMatchObject([{ inputTokens: 0, outputTokens: 39 }]);
  const second = usagesIn(usage.answered({ id: 'b', model: SONNET, usage: counts(3_500, 5) }));
  const rest = usagesIn(usage.ended(counts(4_500, 90, 2_000), 0.5));
  const { input, output, usd } = total([...first, ...again, ...second, ...rest]);
  expect([input, output]).toEqual([6_500, 90]);
  expect(usd).toBeCloseTo(0.5, 10);
});

it('a turn that is broken off keeps what its answers told; without a price its cost is unknown', () => {
  const priced = new ClaudeUsage();
  priced.answered({ id: 'a', model: SONNET, usage: counts(1_000, 10) });
  expect(priced.brokenOff()).toEqual([]);
  const unpriced = new ClaudeUsage();
  expect(usagesIn(unpriced.answered({ id: 'a', model: 'mock', usage: counts(1_000, 10) }))).toMatchObject([
    { inputTokens: 1_000, costUsd: 0 },
  ]);
  expect(usagesIn(unpriced.brokenOff())).toMatchObject([{ inputTokens: -1 }]);
  expect(unpriced.brokenOff()).toEqual([]);
});

it('the next turn begins from nothing, and answers without an id or with nonsense are left to the result', () => {
  const usage = new ClaudeUsage();
  usage.answered({ id: 'a', model: SONNET, usage: counts(1_000, 10) });
  usage.ended(counts(1_000, 10), 0.1);
  expect(usage.answered({ model: SONNET, usage: counts(5, 5) })).toEqual([]);
  expect(usage.answered({ id: 'c', model: SONNET, usage: counts(-1, 5) })).toEqual([]);
  expect(usagesIn(usage.ended(counts(70, 7), 0.2))).toMatchObject([{ inputTokens: 70, outputTokens: 7, costUsd: 0.2 }]);
});
