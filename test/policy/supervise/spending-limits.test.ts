/** What was used, what it costs, and which limit ends the run. */
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
    ['a dated name of a known model', 'anthropic', { ...million, model: 'claude-haiku-4-5-20251001' }, 6],
    ['tokens from a cache', 'anthropic', { ...million, cacheReadTokens: 1_000_000, model: 'claude-opus-5-5' }, 20.2],
    ['a cost that the agent reports', 'claude', { ...million, costUsd: 0.5 }, 0.5],
    ['a local model', 'ollama', { ...million, model: 'qwen3' }, 0],
  ] as const)('the cost of a call is known for %s', (_, kind, usage, usd) => {
    const sum = spent(kind, usage);
    expect(sum.usd).toBeCloseTo(usd);
    expect(sum).toMatchObject({ tokens: 2_000_000, unpriced: [] });
  });

  it('the cost is unknown for a model without a price, until one is configured', () => {
    const usage = { ...million, model: 'gpt-x' };
    expect(spent('openai', usage)).toMatchObject({ usd: 0, unpriced: ['gpt-x'] });
    expect(spent('openai', usage, { 'gpt-x': { input: 1, output: 2 } })).toMatchObject({ usd: 3, unpriced: [] });
  });

  it('any other event has no cost', () => {
    expect(spentAfter(NOTHING_SPENT, { type: 'agent.said', at: '', text: 'hello' })).toBe(NOTHING_SPENT);
  });
});

describe('a limit', () => {
  it.each([
    ['nothing if no limit is set', { tokens: 9, usd: 9, unpriced: ['x'] }, {}, undefined],
    ['nothing below the limit', { tokens: 9, usd: 1, unpriced: [] }, { maxCost: 2, maxTokens: 10 }, undefined],
    ['the run at the limit of tokens', { tokens: 10, usd: 0, unpriced: [] }, { maxTokens: 10 }, /10 tokens were used/],
    ['the run at the limit of cost', { tokens: 1, usd: 2, unpriced: [] }, { maxCost: 2 }, /\$2\.0000 was spent/],
    [
      'the run if a price is unknown',
      { tokens: 1, usd: 0, unpriced: ['x'] },
      { maxCost: 2 },
      /The price of x is unknown/,
    ],
    ['nothing if only tokens are limited', { tokens: 1, usd: 0, unpriced: ['x'] }, { maxTokens: 2 }, undefined],
  ] as const)('a spending limit ends %s', (_, sum, limits, why) => {
    const said = overspent({ unknown: [], ...sum }, limits);
    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });
});
