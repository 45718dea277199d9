/** What was used, what it costs, and when that is enough. */
import { describe, expect, it } from 'vitest';
import { NOTHING_SPENT, spendingEvent, spentAfter, type Prices } from '../../../src/model/team/spending-sum.ts';
import type { AgentKind } from '../../../src/model/agent/agent-kinds.ts';
import type { Usage } from '../../../src/model/agent/usage.ts';
import { overspent } from '../../../src/policy/supervise/spending-limits.ts';

const spent = (kind: AgentKind, usage: Usage, prices?: Prices) =>
  spentAfter(NOTHING_SPENT, { at: '', ...spendingEvent(kind, usage) }, prices);
const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

describe('the cost of a call', () => {
  it.each([
    ['a known model', 'anthropic', { ...million, model: 'claude-sonnet-5-5' }, 12],
    ['a dated name of one', 'anthropic', { ...million, model: 'claude-haiku-4-5-20251001' }, 6],
    ['what came from a cache', 'anthropic', { ...million, cacheReadTokens: 1_000_000, model: 'claude-opus-5-5' }, 20.2],
    ['what an agent says itself', 'claude', { ...million, costUsd: 0.5 }, 0.5],
    ["one's own machine", 'ollama', { ...million, model: 'qwen3' }, 0],
  ] as const)('is known for %s', (_, kind, usage, usd) => {
    const sum = spent(kind, usage);
    expect(sum.usd).toBeCloseTo(usd);
    expect(sum).toMatchObject({ tokens: 2_000_000, unpriced: [] });
  });

  it('is unknown for a model without a price, until one is given', () => {
    const usage = { ...million, model: 'gpt-x' };
    expect(spent('openai', usage)).toMatchObject({ usd: 0, unpriced: ['gpt-x'] });
    expect(spent('openai', usage, { 'gpt-x': { input: 1, output: 2 } })).toMatchObject({ usd: 3, unpriced: [] });
  });

  it('is nothing for any other event', () => {
    expect(spentAfter(NOTHING_SPENT, { type: 'agent.said', at: '', text: 'hello' })).toBe(NOTHING_SPENT);
  });
});

describe('a limit', () => {
  it.each([
    ['nothing without one', { tokens: 9, usd: 9, unpriced: ['x'] }, {}, undefined],
    ['nothing below', { tokens: 9, usd: 1, unpriced: [] }, { maxCost: 2, maxTokens: 10 }, undefined],
    ['the run at so many tokens', { tokens: 10, usd: 0, unpriced: [] }, { maxTokens: 10 }, /10 tokens were used/],
    ['the run at so much money', { tokens: 1, usd: 2, unpriced: [] }, { maxCost: 2 }, /\$2\.0000 was spent/],
    [
      'the run when nobody knows a price',
      { tokens: 1, usd: 0, unpriced: ['x'] },
      { maxCost: 2 },
      /The price of x is unknown/,
    ],
    ['nothing when only tokens are counted', { tokens: 1, usd: 0, unpriced: ['x'] }, { maxTokens: 2 }, undefined],
  ] as const)('ends %s', (_, sum, limits, why) => {
    const said = overspent(sum, limits);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });
});
