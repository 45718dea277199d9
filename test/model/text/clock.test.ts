import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timestamp } from '../../../src/model/text/clock.ts';

it('the clock writes wall time as ISO 8601 with milliseconds, in UTC', () => {
  expect(timestamp(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(timestamp(1_767_323_045_678)).toBe('2026-01-02T03:04:05.678Z');
});

it('the clock writes every time as toISOString does', () => {
  const latest = 8.64e15;
  const time = fc.oneof(
    fc.integer({ min: -latest, max: latest }),
    fc.integer({ min: -8e13, max: 3e14 }),
    fc.double({ min: 0, max: 4e12, noNaN: true }),
    fc.constantFrom(
      -0,
      -latest,
      latest,
      -62_167_219_200_001,
      -30_610_224_000_001,
      -30_610_224_000_000,
      253_402_300_800_000,
    ),
  );
  fc.assert(fc.property(time, (ms) => timestamp(ms) === new Date(ms).toISOString()));
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1])('the clock refuses %s', (ms) => {
  expect(() => timestamp(ms)).toThrow(RangeError);
});
