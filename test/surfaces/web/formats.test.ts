/** Figures of the page, rounded as a person would. */
import { expect, it } from 'vitest';
import { tokens } from '../../../src/surfaces/web/page/formats.ts';

it.each([
  [999, '999'],
  [9_940, '9.9 k'],
  [9_960, '10 k'],
  [999_400, '999 k'],
  [999_600, '1.0 M'],
])('%i tokens are %s', (count, shown) => {
  expect(tokens(count)).toBe(shown);
});
