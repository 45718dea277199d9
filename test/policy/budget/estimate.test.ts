/** The most that a call or a turn can use. */
import { describe, expect, it } from 'vitest';
import { outputWithin, wantedByCall, wantedByTurn } from '../../../src/policy/budget/estimate.ts';

const call = { model: 'claude-sonnet-5-5', inputTokens: 10_000, outputTokens: 32_000 };

describe('a call of a model API', () => {
  it('may use its input at the dearest price and its whole answer', () => {
    const { want, least } = wantedByCall('anthropic', call, {});
    expect(want.tokens).toBe(42_000);
    // $2.50 to write input into the cache, $10 for output.
    expect(want.cost).toBeCloseTo(0.025 + 0.32);
    expect(least.tokens).toBe(10_256);
    expect(least.cost).toBeCloseTo(0.025 + 0.00256);
  });

  it.each([
    ['tokens', { tokens: 11_000 }, 1_000],
    ['cost', { cost: 0.025 + 0.005 }, 500],
    ['both, by the smaller', { tokens: 11_000, cost: 0.025 + 0.005 }, 500],
    ['nothing', {}, 32_000],
  ] as const)('answers with as many tokens as it holds, limited by %s', (_, hold, tokens) => {
    expect(outputWithin('anthropic', call, hold, {})).toBe(tokens);
  });

  it('of a model without a price is told as that, unless that is allowed', () => {
    const unknown = { ...call, model: 'gpt-x' };
    expect(wantedByCall('openai', unknown, {})).toMatchObject({ want: { cost: Infinity }, unpriced: 'gpt-x' });
    expect(wantedByCall('openai', unknown, { allowUnpriced: true })).toEqual({
      want: { tokens: 42_000, cost: 0 },
      least: { tokens: 10_256 },
    });
    expect(wantedByCall('openai', unknown, { prices: { 'gpt-x': { input: 1, output: 2 } } }).want.cost).toBeCloseTo(
      0.074,
    );
    expect(wantedByCall('ollama', { ...call, model: 'qwen3' }, {}).want.cost).toBe(0);
  });
});

describe('a turn', () => {
  const turns = [
    { cost: 3, tokens: 30 },
    { cost: 1, tokens: 10 },
    { cost: 2, tokens: 20 },
  ];
  const rules = { perCall: false };

  it('of a program may use the median of its last turns', () => {
    expect(wantedByTurn({ kind: 'claude' }, { turns, timeMs: 60_000 }, rules).want).toEqual({
      turns: 1,
      time: 60_000,
      cost: 2,
      tokens: 20,
    });
  });

  it('of a program without a past may use what a call of its model can use, or all if that is unknown', () => {
    const of = (model?: string) => wantedByTurn({ kind: 'claude', model }, { turns: [], timeMs: 1 }, rules).want;
    expect(of('claude-sonnet-5-5').cost).toBeCloseTo(2.5 * 0.968 + 0.32);
    expect(of()).toMatchObject({ cost: Infinity, tokens: Infinity });
  });

  it.each([
    ['a command', { kind: 'exec' }, rules],
    ['an API, whose calls reserve for themselves', { kind: 'anthropic' }, { perCall: true }],
  ] as const)('of %s uses a turn and its time only', (_, spec, how) => {
    expect(wantedByTurn(spec, { turns, timeMs: 5 }, how).want).toEqual({ turns: 1, time: 5 });
  });
});
