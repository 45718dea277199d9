/** A set of task ids behaves as a set of numbers, walks in their order, and reads back what it wrote. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet } from '../../../src/model/board/id-set.ts';

const ids = fc.oneof(fc.nat({ max: 70 }), fc.constantFrom(31, 32, 1_023, 1_024, 2_047, 99_999, 100_000));

it('equals a set of numbers after any additions and deletions', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), ids), { maxLength: 80 }), (script) => {
      const plain = new Set<number>();
      const kept = new IdSet();
      for (const [isIn, id] of script) {
        expect(isIn ? kept.add(id) : kept.delete(id)).toBe(isIn ? !plain.has(id) : plain.has(id));
        if (isIn) plain.add(id);
        else plain.delete(id);
      }
      const sorted = [...plain].sort((a, b) => a - b);
      expect([...kept]).toEqual(sorted);
      expect([...kept.backwards()]).toEqual(sorted.toReversed());
      expect(kept.size).toBe(plain.size);
      expect(sorted.every((id) => kept.has(id)) && !kept.has(71)).toBe(true);
      const again = new IdSet({ size: kept.size, load: () => kept.bytes() });
      expect([...again]).toEqual(sorted);
    }),
  );
});

it('tells what another set does not have', () => {
  fc.assert(
    fc.property(fc.uniqueArray(ids), fc.uniqueArray(ids), (mine, theirs) => {
      const [one, other] = [new IdSet(), new IdSet()];
      for (const id of mine) one.add(id);
      for (const id of theirs) other.add(id);
      expect([...one.beyond(other)]).toEqual(mine.filter((id) => !theirs.includes(id)).sort((a, b) => a - b));
    }),
  );
});

it('has the same bytes however it came to its elements', () => {
  const [one, other] = [new IdSet(), new IdSet()];
  for (const id of [5, 3_000, 70_000]) one.add(id);
  for (const id of [70_000, 9_999, 5, 3_000]) other.add(id);
  other.delete(9_999);
  expect(other.bytes()).toEqual(one.bytes());
});

it('is read only when more than its size is asked', () => {
  let loads = 0;
  const stored = new IdSet();
  stored.add(7);
  const set = new IdSet({
    size: 1,
    load: () => {
      loads += 1;
      return stored.bytes();
    },
  });
  expect([set.size, loads]).toEqual([1, 0]);
  set.add(8);
  expect([[...set], set.size, loads]).toEqual([[7, 8], 2, 1]);
});

it('does not grow with the ids between its elements', () => {
  const set = new IdSet();
  for (const id of [1, 1_000_000]) set.add(id);
  expect(set.bytes().length).toBe(2 * 132);
  set.delete(1);
  expect(set.bytes().length).toBe(132);
});
