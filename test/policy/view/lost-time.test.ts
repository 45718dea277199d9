/** Time that counts for no duration. */
import { expect, it } from 'vitest';
import { LostTime } from '../../../src/policy/view/lost-time.ts';

const at = (second: number): number => Date.parse('2026-01-01T00:00:00.000Z') + second * 1_000;
const iso = (second: number): string => new Date(at(second)).toISOString();

function lost(...losses: readonly [from: number, to: number, seconds: number][]): LostTime {
  const all = new LostTime();
  for (const [from, to, seconds] of losses) {
    const event = { type: 'lead.lost_time', at: iso(to), from: iso(from), ms: seconds * 1_000 };
    all.add(event);
  }
  return all;
}

const PAUSE: [number, number, number] = [100, 161, 60];

it.each<[string, LostTime, number, number, number]>([
  ['nothing was lost', lost(), 0, 50, 50],
  ['a pause in the middle', lost(PAUSE), 90, 200, 50],
  ['a pause before', lost(PAUSE), 170, 200, 30],
  ['a pause after', lost(PAUSE), 10, 100, 90],
  ['the end of it, just before the lead saw it', lost(PAUSE), 90, 160.9, 11],
  ['two pauses', lost(PAUSE, [300, 311, 10]), 90, 400, 240],
  ['a clock that was set back', lost([100, -3499, -3600]), 90, -3490, 20],
  ['work behind a clock that was set back', lost([100, -3499, -3600]), -3490, -3470, 20],
  ['clocks of two processes that differ', lost(), 50, 49, 0],
])('what was lost within a time is left out of it: %s', (_, times, from, to, seconds) => {
  expect(times.between(at(from), at(to)) / 1_000).toBeCloseTo(seconds, 0);
});

it('is read from its events only', () => {
  const times = new LostTime();
  for (const event of [
    { type: 'lead.decided', at: iso(161), from: iso(100), ms: 60_000 },
    { type: 'lead.lost_time', at: iso(161) },
    { type: 'lead.lost_time', at: 'noon', from: iso(100), ms: 60_000 },
    { type: 'lead.lost_time', at: iso(161), from: 7, ms: '60' },
  ])
    times.add(event);
  expect(times.between(at(90), at(200))).toBe(110_000);
});
