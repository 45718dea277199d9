/** The picture of what waits for what. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutOf, LINE, NODE, type GraphLayout } from '../../../src/surfaces/web/page/graph-layout.ts';
import type { TaskRow } from '../../../src/surfaces/web/wire-types.ts';

const rowOf = (id: number, blockedBy: readonly number[]): TaskRow => ({
  id: String(id),
  subject: `Task ${id}`,
  column: 'blocked',
  member: null,
  role: null,
  blockedBy: blockedBy.map(String),
  waitsFor: [],
  asks: false,
  attempts: 0,
  isBegun: false,
  since: 0,
  reason: null,
  spent: null,
});

/** @param blockers those of each task, by their numbers; the first task has the number 1 */
const layout = (blockers: readonly (readonly number[])[], path: readonly string[] = []): GraphLayout =>
  layoutOf(new Map(blockers.map((all, at) => [String(at + 1), rowOf(at + 1, all)])), path);

const boards = fc
  .array(fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 4 }), { maxLength: 40 })
  .map((all) => all.map((some, at) => [...new Set(at === 0 ? [] : some.map((part) => Math.floor(part * at) + 1))]));

/** What takes room in a column: tasks, and the lines that pass it, from top to bottom. */
function columnsOf({ tasks, lines }: GraphLayout): { top: number; bottom: number }[][] {
  const columns = new Map<number, Map<number, number>>();
  const add = (x: number, y: number, height: number): void => {
    const column = columns.get(x) ?? new Map<number, number>();
    expect(column.get(y) ?? height).toBe(height);
    columns.set(x, column.set(y, height));
  };
  for (const { x, y } of tasks) add(x, y, NODE.height);
  for (const { passed } of lines) for (const { x, y } of passed) add(x, y, LINE);
  return [...columns.values()].map((column) =>
    [...column].map(([top, height]) => ({ top, bottom: top + height })).sort((a, b) => a.top - b.top),
  );
}

describe('the graph', () => {
  it('has a task right of all that it waits for, and a line from each of them', () => {
    fc.assert(
      fc.property(boards, (blockers) => {
        const { tasks, lines, hidden } = layout(blockers);
        expect(hidden).toBe(0);
        expect(tasks.map(({ row }) => Number(row.id)).sort((a, b) => a - b)).toEqual(blockers.map((_, at) => at + 1));
        const drawn = lines.map(({ from, to }) => `${from.row.id} ${to.row.id}`).sort();
        expect(drawn).toEqual(blockers.flatMap((all, at) => all.map((one) => `${one} ${at + 1}`)).sort());
        for (const { from, to } of lines) expect(from.x).toBeLessThan(to.x);
      }),
    );
  });

  it('has a place of its own for each line in each column that it passes: none runs behind a task', () => {
    fc.assert(
      fc.property(boards, (blockers) => {
        const drawn = layout(blockers);
        const step = NODE.width + NODE.gapX;
        for (const { from, to, passed } of drawn.lines)
          expect(passed.map(({ x }) => x)).toEqual(
            Array.from({ length: (to.x - from.x) / step - 1 }, (_, at) => from.x + (at + 1) * step),
          );
        for (const column of columnsOf(drawn)) {
          for (const [at, { top }] of column.entries())
            expect(top - (column[at - 1]?.bottom ?? -NODE.gapY)).toBe(NODE.gapY);
          expect(column.at(-1)?.bottom).toBeLessThanOrEqual(drawn.height);
        }
      }),
    );
  });

  it('leads the lines to one task through one place', () => {
    const { lines } = layout([[], [], [], [1], [4], [1, 2, 3, 5]]);
    const passed = lines
      .filter(({ to }) => to.row.id === '6')
      .map((line) => line.passed.map(({ x, y }) => `${x} ${y}`));
    const [first = []] = passed;
    expect(first).toHaveLength(2);
    expect(passed).toEqual([first, first, first, []]);
  });

  it('marks the lines of the critical path', () => {
    const { lines } = layout([[], [1], [1, 2]], ['1', '2', '3']);
    const critical = lines.filter(({ isCritical }) => isCritical);
    expect(critical.map(({ from, to }) => `${from.row.id} ${to.row.id}`)).toEqual(['1 2', '2 3']);
  });
});
