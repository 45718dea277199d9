import { expect, it } from 'vitest';
import { isLinear } from './linear.ts';

/** Asks for CPU time in proportion to the count. */
function steps(count: number): void {
  let sum = 0;
  for (let at = 0; at < count; at += 1) sum = (sum * 31 + at) % 1_000_003;
  expect(sum).toBeGreaterThanOrEqual(0);
}

const UNIT = 12_000_000;

it('work in proportion to its input is told from work in proportion to its square', () => {
  steps(UNIT);
  expect(isLinear((size) => steps(size === 'whole' ? 4 * UNIT : UNIT))).toBe(true);
  expect(isLinear((size) => steps(size === 'whole' ? 16 * UNIT : UNIT))).toBe(false);
});
