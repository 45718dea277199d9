import { expect, it } from 'vitest';
import { timestamp } from '../../../src/model/text/clock.ts';

it('the clock writes wall time as ISO 8601 with milliseconds, in UTC', () => {
  expect(timestamp(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(timestamp(1_767_323_045_678)).toBe('2026-01-02T03:04:05.678Z');
});
