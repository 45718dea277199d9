import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../../../src/model/text/duration.ts';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h', 3_600_000],
  ['1.5h', 5_400_000],
  ['90', 90_000],
  ['0', undefined],
  ['0.1ms', undefined],
  ['-1s', undefined],
  ['1d', undefined],
  ['10 m', undefined],
  ['1h30m', undefined],
  ['1000h', undefined],
  ['toString', undefined],
  ['', undefined],
])('reads the duration %j as %j ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test('every written duration is read back', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (ms) => parseDuration(formatDuration(ms)) === ms));
});
