import { describe, expect, it } from 'vitest';
import { lastMs, parseMoment } from '../../../src/model/text/moment.ts';

const MINUTE = 60_000;
const NOON = 12 * 60 * MINUTE;

describe('a moment', () => {
  it.each([
    ['15', { kind: 'event', number: 15 }],
    ['e15', { kind: 'event', number: 15 }],
    ['b12', { kind: 'line', number: 12 }],
    ['12:00', { kind: 'time of day', ms: NOON + MINUTE - 1, spanMs: MINUTE }],
    ['12:00:01', { kind: 'time of day', ms: NOON + 1_999, spanMs: 1_000 }],
    ['00:00:00', { kind: 'time of day', ms: 999, spanMs: 1_000 }],
    ['2026-11-24T19:03:56.732Z', { kind: 'time', ms: Date.UTC(2026, 10, 24, 19, 3, 56, 732) }],
    ['2026-11-24T19:03:56Z', { kind: 'time', ms: Date.UTC(2026, 10, 24, 19, 3, 56, 999) }],
    ['2026-11-24T19:03+02:00', { kind: 'time', ms: Date.UTC(2026, 10, 24, 17, 3, 59, 999) }],
    ['2026-11-24T19:03:56', { kind: 'time', ms: new Date(2026, 10, 24, 19, 3, 56, 999).getTime() }],
  ])('%s is read', (text, moment) => {
    expect(parseMoment(text)).toEqual(moment);
  });

  it.each(['2026-02-30T10:00Z', '2026-04-31T10:00:00+02:00', '2027-02-29T10:00'])('%s is no day', (text) => {
    expect(parseMoment(text)).toBeUndefined();
    expect(parseMoment(text.replace(/-[0-9]{2}T/, '-28T'))).toBeDefined();
  });

  it.each(['', '0', 'b0', '-1', '1.5', 'x3', '24:00', '12:60', '1234567890', '2026-13-01T00:00Z', '2026-11-24', 'now'])(
    '%j is none',
    (text) => {
      expect(parseMoment(text)).toBeUndefined();
    },
  );
});

describe('a time of day is the last one', () => {
  const until = new Date(2026, 10, 24, 12, 0, 0, 500).getTime();

  it('of the same day, up to the second that has begun', () => {
    expect(lastMs({ ms: NOON + 999, spanMs: 1_000 }, until)).toBe(until + 499);
    expect(lastMs({ ms: NOON - 1, spanMs: 1_000 }, until)).toBe(until - 501);
    expect(lastMs({ ms: NOON + MINUTE - 1, spanMs: MINUTE }, until)).toBe(until + MINUTE - 501);
  });

  it('of the day before, when that time is still to come', () => {
    expect(lastMs({ ms: NOON + 1_999, spanMs: 1_000 }, until)).toBe(new Date(2026, 10, 23, 12, 0, 1, 999).getTime());
  });
});
