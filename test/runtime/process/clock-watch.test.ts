/** What the lead measures of time in which nothing ran. */
import { expect, it, onTestFinished } from 'vitest';
import type { TeamEvent } from '../../../src/model/team/team-event.ts';
import { timestamp } from '../../../src/model/text/clock.ts';
import { ClockWatch } from '../../../src/runtime/process/clock-watch.ts';

/** A watch whose clocks move only by `pass`, which returns what was recorded. */
function watched() {
  let [wall, monotonic, used, beat] = [Date.parse('2026-01-01T00:00:00.000Z'), 500, 0, 0];
  const told: object[] = [];
  const others: { readonly at: number; readonly event: TeamEvent }[] = [];
  const watch = new ClockWatch({
    clock: { now: () => wall, monotonic: () => monotonic },
    events: {
      append: ({ type, ms, from, text }: Record<string, unknown>) => void told.push({ type, ms, from, text }),
      end: () => others.length,
      *read(from = 0) {
        yield* others.slice(from);
        return others.length;
      },
    },
    beats: () => [beat],
    used: () => used,
  });
  onTestFinished(() => watch.close());
  return {
    /** @param along what happened meanwhile: processor time used, or signs of a member, in ms of the wall after its begin */
    pass: (
      wallMs: number,
      monotonicMs: number,
      along: { used?: number; beat?: number; event?: number } = {},
    ): object[] => {
      if (along.beat !== undefined) beat = wall + along.beat;
      if (along.event !== undefined)
        others.push({
          at: others.length,
          event: { at: timestamp(wall + along.event), type: 'agent.printed', member: 'ada' },
        });
      [wall, monotonic, used] = [wall + wallMs, monotonic + monotonicMs, used + (along.used ?? 0)];
      watch.look();
      return told.splice(0);
    },
  };
}

it('a pause, and a clock that is set, are recorded; load and small corrections are not', () => {
  const { pass } = watched();
  expect(pass(1_000, 1_000)).toEqual([]);
  expect(pass(4_000, 4_000)).toEqual([]);
  expect(pass(1_800, 1_000)).toEqual([]);
  expect(pass(61_000, 61_000)).toEqual([
    {
      type: 'lead.lost_time',
      ms: 60_000,
      from: '2026-01-01T00:00:06.800Z',
      text: 'the team stood still for 1m00s; it counts for no duration',
    },
  ]);
  // The monotonic clock of a suspended machine stands still.
  expect(pass(3_601_000, 1_000)).toMatchObject([
    { ms: 3_600_000, text: expect.stringContaining('set 1h00m ahead') as string },
  ]);
  expect(pass(-3_599_000, 1_000)).toMatchObject([{ ms: -3_600_000, text: expect.stringContaining('back') as string }]);
});

it.each([
  ['did its own work', { used: 40_000 }, false],
  ['was stopped while a member told something', { event: 20_000 }, false],
  ['was stopped while a member held its lease', { beat: 57_000 }, false],
  ['was stopped with all members, who went on at once', { beat: 60_900, event: 60_950, used: 100 }, true],
  ['was stopped with all members, who had just run', { beat: 400, event: 900 }, true],
])('a minute in which the lead %s: %j: is lost: %s', (_, along, isLost) => {
  const { pass } = watched();
  expect(pass(1_000, 1_000)).toEqual([]);
  expect(pass(61_000, 61_000, along)).toHaveLength(isLost ? 1 : 0);
  expect(pass(1_000, 1_000)).toEqual([]);
});

it('a clock that was set is recorded also while the lead was held up by its own work', () => {
  const { pass } = watched();
  expect(pass(3_620_000, 20_000, { used: 19_000 })).toMatchObject([{ ms: 3_600_000 }]);
});
