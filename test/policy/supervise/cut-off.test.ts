/** What a process does while the store of its team is not heard, by how long that has been. */
import { describe, expect, it } from 'vitest';
import { CUT_OFF_AFTER_MS, whenCutOff } from '../../../src/policy/supervise/cut-off.ts';

describe('a process whose lease the store does not confirm', () => {
  it.each([
    [0, 'go on'],
    [10_000, 'go on'],
    [10_001, 'start nothing'],
    [40_000, 'start nothing'],
    [40_001, 'stop turns'],
    [600_000, 'stop turns'],
    [600_001, 'end'],
  ])('after %i ms: %s', (silentFor, rule) => {
    expect(whenCutOff(silentFor, CUT_OFF_AFTER_MS)).toBe(rule);
  });

  it('ends earlier where its host says so, also before its turns would', () => {
    expect(whenCutOff(15_001, 15_000)).toBe('end');
  });
});
