/**
 * Fault 38 of docs/reliability.md: retry-after is honoured, pauses grow with jitter, and five teammates of one vendor
 * share one pause.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admitted,
  answeredAt,
  ended,
  isUnlimited,
  LONGEST_ASKED_MS,
  LONGEST_PAUSE_MS,
  nextPause,
  NO_PAUSE,
  refusedAt,
  type VendorPause,
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
    expect(nextPause(1, 0, 0)).toBe(500);
    expect(nextPause(5, 0, 2_000)).toBe(8_000);
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
    const first = refusedAt(NO_PAUSE, { caller: 'ada', calledAt: 100, now: 200, random: 1 });
    expect(first).toMatchObject({ refusals: 1, until: 1_200 });
    const second = refusedAt(first, { caller: 'ada', calledAt: 1_200, now: 1_300, random: 1 });
    expect(second).toMatchObject({ refusals: 2, until: 3_300 });
    expect(answeredAt(second, { caller: 'ada', calledAt: 3_300 })).toMatchObject(NO_PAUSE);
  });

  it('refusals of simultaneous calls count as one', () => {
    const first = refusedAt(NO_PAUSE, { caller: 'ada', calledAt: 100, now: 200, random: 1 });
    const again = { caller: 'bob', calledAt: 150, now: 300 };
    expect(refusedAt(first, { ...again, random: 1 })).toEqual(first);
    expect(refusedAt(first, { ...again, random: 0, retryAfterMs: 9_000 })).toMatchObject({
      refusals: 1,
      length: 9_000,
      until: 9_300,
    });
  });

  it('an answer to a call from before the pause does not end it', () => {
    const pause = refusedAt(NO_PAUSE, { caller: 'ada', calledAt: 100, now: 200, random: 1 });
    expect(answeredAt(pause, { caller: 'bob', calledAt: 150 })).toEqual(pause);
  });
});

describe('the calls of a team at one vendor', () => {
  const begin = (pause: VendorPause, caller: string, now: number) => admitted(pause, { caller, now });

  it('two calls at the start, twice as many after each answer, until no call is counted', () => {
    let pause: VendorPause = NO_PAUSE;
    for (const caller of ['ada', 'bob']) pause = begin(pause, caller, 100) ?? NO_PAUSE;
    expect(begin(pause, 'cy', 200)).toBeUndefined();
    for (const slots of [4, 8, 16, 32]) {
      pause = answeredAt(pause, { caller: 'ada', calledAt: 100 });
      expect(pause.slots).toBe(slots);
    }
    expect(isUnlimited(pause)).toBe(true);
  });

  it('after a refusal one call tries, until it is answered, refused, over or older than 10 s', () => {
    const refused = refusedAt(NO_PAUSE, { caller: 'ada', calledAt: 100, now: 200, random: 1 });
    const trying = begin(refused, 'bob', 1_200) ?? NO_PAUSE;
    expect(begin(trying, 'ada', 1_300)).toBeUndefined();
    expect(begin(trying, 'bob', 1_300), 'the same member may call again').toBeDefined();
    expect(begin(trying, 'ada', 11_200)).toBeDefined();
    expect(begin(trying, 'ada', 1_100), 'a clock that was set back holds nobody').toBeDefined();
    expect(begin(ended(trying, 'bob'), 'ada', 1_300)).toBeDefined();
    expect(begin(answeredAt(trying, { caller: 'bob', calledAt: 1_200 }), 'ada', 1_300)).toBeDefined();
  });

  it('a team of five asks an overloaded vendor at most 12 times in 105 s', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 }), (draws) => {
        let pause: VendorPause = NO_PAUSE;
        let asked = 0;
        for (let now = 0; now < 105_000; now += 50)
          for (const caller of ['ada', 'bob', 'cy', 'dee', 'eve']) {
            const admits = pause.until > now ? undefined : begin(pause, caller, now);
            if (admits === undefined) continue;
            asked += 1;
            pause = refusedAt(admits, { caller, calledAt: now, now: now + 30, random: draws[asked % 20] ?? 0 });
          }
        expect(asked).toBeLessThanOrEqual(12);
      }),
    );
  });
});
