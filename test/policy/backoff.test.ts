/**
 * Fault 38 of docs/reliability.md: retry-after is honoured, pauses grow with jitter, and five teammates of one vendor
 * share one pause.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  answeredAt,
  LONGEST_ASKED_MS,
  LONGEST_PAUSE_MS,
  nextPause,
  NO_PAUSE,
  refusedAt,
} from '../../src/policy/backoff.ts';

describe('nextPause', () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [5, 8_000, 16_000],
    [7, 30_000, 60_000],
    [1_000, 30_000, 60_000],
  ])('the pause after %i refusals is between %i and %i ms', (attempt, least, most) => {
    expect(nextPause(attempt, 0)).toBe(least);
    expect(nextPause(attempt, 1)).toBe(most);
  });

  it('the pause is never shorter than the vendor asks for, and its jitter spreads the retries', () => {
    expect(nextPause(1, 0, 20_000)).toBe(20_000);
    expect(nextPause(1, 0.999, 20_000)).toBeGreaterThan(20_900);
    expect(nextPause(1, 0, 0)).toBe(0);
  });

  it('the pause is bounded for any input', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.option(fc.integer(), { nil: undefined }),
        (attempt, random, asked) => {
          const pause = nextPause(attempt, random, asked);
          expect(pause).toBeGreaterThanOrEqual(0);
          expect(pause).toBeLessThanOrEqual((asked === undefined ? LONGEST_PAUSE_MS : LONGEST_ASKED_MS + 1_000) + 1);
        },
      ),
    );
  });
});

describe('the pause of a vendor', () => {
  it('the pause of a vendor grows with each later refusal and ends with the first answer', () => {
    const first = refusedAt(NO_PAUSE, { calledAt: 100, now: 200, random: 1 });
    expect(first).toMatchObject({ refusals: 1, until: 1_200 });
    const second = refusedAt(first, { calledAt: 1_200, now: 1_300, random: 1 });
    expect(second).toMatchObject({ refusals: 2, until: 3_300 });
    expect(answeredAt(second, 3_300)).toEqual(NO_PAUSE);
  });

  it('refusals of simultaneous calls count as one', () => {
    const first = refusedAt(NO_PAUSE, { calledAt: 100, now: 200, random: 1 });
    expect(refusedAt(first, { calledAt: 150, now: 300, random: 1 })).toEqual(first);
    expect(refusedAt(first, { calledAt: 150, now: 300, random: 0, retryAfterMs: 9_000 })).toEqual({
      refusals: 1,
      length: 9_000,
      until: 9_300,
    });
  });

  it('an answer to a call from before the pause does not end it', () => {
    const pause = refusedAt(NO_PAUSE, { calledAt: 100, now: 200, random: 1 });
    expect(answeredAt(pause, 150)).toBe(pause);
  });
});
