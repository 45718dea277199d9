/** When members stopped working whose processes ended without a record on the board. */
import { expect, it } from 'vitest';
import { endIn, ProcessEnds } from '../../../src/policy/view/process-ends.ts';

const at = (second: number): string => new Date(second * 1_000).toISOString();

it.each([
  [{ type: 'member.exited', at: at(5) }, 5_000],
  [{ type: 'member.lost', at: at(90), last: at(7) }, 7_000],
  [{ type: 'member.lost', at: at(90), last: 'noon' }, undefined],
  [{ type: 'member.lost', at: at(90) }, undefined],
  [{ type: 'member.stopped', at: at(5) }, undefined],
])('%o', (event, end) => {
  expect(endIn(event)).toBe(end);
});

it('the first end after a time is that of the process that worked then', () => {
  const ends = new ProcessEnds();
  for (const [second, member] of [
    [3, 'ada'],
    [9, 'ada'],
    [5, 'bob'],
  ] as const)
    ends.add({ type: 'member.exited', at: at(second), member });
  expect([0, 3_000, 4_000, 9_001].map((time) => ends.after('ada', time))).toEqual([3_000, 3_000, 9_000, undefined]);
  expect(ends.after('cy', 0)).toBeUndefined();
});
