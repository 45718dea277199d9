import { describe, expect, it } from 'vitest';
import { NOTHING_SPENT, spentAfter } from '../../../src/model/team/spending-sum.ts';

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
