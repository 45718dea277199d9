import { describe, expect, it } from 'vitest';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import type { Usage } from '../../../src/model/agent/usage.ts';
import { NOTHING_SPENT, spendingEvent, spentAfter, type Prices } from '../../../src/model/team/spending-sum.ts';

const spent = (model: string) => ({
  type: 'agent.spent',
  at: '2026-01-01T00:00:00.000Z',
  kind: 'openai',
  model,
  input_tokens: 1_000_000,
  output_tokens: 1_000_000,
});

describe('what was spent', () => {
  it('the cost uses the price that is given for a model', () => {
    expect(spentAfter(NOTHING_SPENT, spent('mine'), { mine: { input: 1, output: 2 } })).toEqual({
      tokens: 2_000_000,
      usd: 3,
      unpriced: [],
      unknown: [],
    });
  });

  it.each(['__proto__', 'constructor', 'toString', 'nobody-knows-it'])(
    'a model called %s has no price, and the sum stays a number that a budget can be compared with',
    (model) => {
      expect(spentAfter(NOTHING_SPENT, spent(model))).toEqual({
        tokens: 2_000_000,
        usd: 0,
        unpriced: [model],
        unknown: [],
      });
    },
  );
});

const spentBy = (kind: AgentKind, usage: Usage, prices?: Prices) =>
  spentAfter(NOTHING_SPENT, { at: '', ...spendingEvent(kind, usage) }, prices);
const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

describe('the cost of a call', () => {
  it.each([
    ['a known model', 'anthropic', { ...million, model: 'claude-sonnet-5-5' }, 12],
    ['a dated name of a known model', 'anthropic', { ...million, model: 'claude-haiku-4-5-20251001' }, 6],
    ['tokens from a cache', 'anthropic', { ...million, cacheReadTokens: 1_000_000, model: 'claude-opus-5-5' }, 20.2],
    ['a cost that the agent reports', 'claude', { ...million, costUsd: 0.5 }, 0.5],
    ['a local model', 'ollama', { ...million, model: 'qwen3' }, 0],
  ] as const)('the cost of a call is known for %s', (_, kind, usage, usd) => {
    const sum = spentBy(kind, usage);
    expect(sum.usd).toBeCloseTo(usd);
    expect(sum).toMatchObject({ tokens: 2_000_000, unpriced: [] });
  });

  it('the cost is unknown for a model without a price, until one is configured', () => {
    const usage = { ...million, model: 'gpt-x' };
    expect(spentBy('openai', usage)).toMatchObject({ usd: 0, unpriced: ['gpt-x'] });
    expect(spentBy('openai', usage, { 'gpt-x': { input: 1, output: 2 } })).toMatchObject({ usd: 3, unpriced: [] });
  });

  it('any other event has no cost', () => {
    expect(spentAfter(NOTHING_SPENT, { type: 'agent.said', at: '', text: 'hello' })).toBe(NOTHING_SPENT);
  });
});
