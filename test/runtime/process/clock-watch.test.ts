/** What the lead measures of time in which nothing ran. */
import { expect, it, onTestFinished } from 'vitest';
import { ClockWatch } from '../../../src/runtime/process/clock-watch.ts';

it('a pause, and a clock that is set, are recorded; load and small corrections are not', () => {
  let [wall, monotonic] = [Date.parse('2026-01-01T00:00:00.000Z'), 500];
  const told: object[] = [];
  const watch = new ClockWatch({
    clock: { now: () => wall, monotonic: () => monotonic },
    events: { append: ({ type, ms, from, text }: Record<string, unknown>) => void told.push({ type, ms, from, text }) },
  } as unknown as ConstructorParameters<typeof ClockWatch>[0]);
  onTestFinished(() => watch.close());
  const pass = (wallMs: number, monotonicMs: number): object[] => {
    [wall, monotonic] = [wall + wallMs, monotonic + monotonicMs];
    watch.look();
    return told.splice(0);
  };
  expect(pass(1_000, 1_000)).toEqual([]);
  expect(pass(4_000, 4_000)).toEqual([]);
  expect(pass(1_800, 1_000)).toEqual([]);
  expect(pass(61_000, 61_000)).toEqual([
    {
      type: 'lead.lost_time',
      ms: 60_000,
      from: '2026-01-01T00:00:06.800Z',
      text: 'nothing could run for 1m00s; it counts for no duration',
    },
  ]);
  // The monotonic clock of a suspended machine stands still.
  expect(pass(3_601_000, 1_000)).toMatchObject([
    { ms: 3_600_000, text: expect.stringContaining('set 1h00m ahead') as string },
  ]);
  expect(pass(-3_599_000, 1_000)).toMatchObject([{ ms: -3_600_000, text: expect.stringContaining('back') as string }]);
});
