/** Ids whatever the clock says. */
import { expect, test } from 'vitest';
import { ulidSchema } from '../../../src/model/board/event.ts';
import { newId, newIds } from '../../../src/store/files/new-ids.ts';

const TIMES = [Date.UTC(2026, 0, 1), -1, Date.UTC(1965, 5, 1), 0, 0.5, 2 ** 48, 8.64e15, Date.UTC(2026, 0, 1)];

test('an id is made at any time of the clock', () => {
  for (const time of TIMES) expect(ulidSchema.safeParse(newId(time)).success).toBe(true);
});

test('ids of one writer grow while its clock jumps', () => {
  const next = newIds();
  const ids = TIMES.map((time) => next(time));
  for (const id of ids) expect(ulidSchema.safeParse(id).success).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(TIMES.length);
});
