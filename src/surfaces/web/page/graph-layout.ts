/** Places tasks for the graph: a column for each step of dependencies, few crossings in a column. Pure. */
import type { TaskRow } from '../wire-types.ts';

export interface PlacedTask {
  readonly row: TaskRow;
  readonly x: number;
  readonly y: number;
}

export interface GraphLayout {
  readonly tasks: readonly PlacedTask[];
  /** From blocker to blocked, as positions. */
  readonly edges: readonly { readonly from: PlacedTask; readonly to: PlacedTask; readonly isCritical: boolean }[];
  readonly width: number;
  readonly height: number;
  /** How many tasks are left out. */
  readonly hidden: number;
}

export const NODE = { width: 240, height: 40, gapX: 56, gapY: 12 };
/** Most tasks in one picture. */
const MOST = 200;

/** All tasks if there are few; else those that need attention, the critical path, and what is next to them. */
function shownTasks(tasks: ReadonlyMap<string, TaskRow>, critical: ReadonlySet<string>): TaskRow[] {
  const all = [...tasks.values()];
  if (all.length <= MOST) return all;
  const rank = ({ id, column, asks }: TaskRow): number => {
    if (column === 'failed' || asks) return 0;
    if (column === 'in_progress' || column === 'landing') return 1;
    if (critical.has(id)) return 2;
    return column === 'ready' || column === 'blocked' ? 4 : 5;
  };
  const matters = all.filter((row) => rank(row) <= 2);
  const near = new Set(matters.flatMap(({ blockedBy }) => blockedBy));
  const ids = new Set(matters.map(({ id }) => id));
  const weight = (row: TaskRow): number =>
    near.has(row.id) || row.blockedBy.some((id) => ids.has(id)) ? 3 : rank(row);
  return all
    .map((row) => ({ row, weight: Math.min(rank(row), weight(row)) }))
    .sort((a, b) => a.weight - b.weight || Number(a.row.id) - Number(b.row.id))
    .slice(0, MOST)
    .map(({ row }) => row);
}

export function layoutOf(tasks: ReadonlyMap<string, TaskRow>, path: readonly string[]): GraphLayout {
  const critical = new Set(path);
  const rows = shownTasks(tasks, critical).sort((a, b) => Number(a.id) - Number(b.id));
  const shown = new Map(rows.map((row) => [row.id, row]));
  const steps = stepsOf(shown);
  const columns: TaskRow[][] = [];
  for (const row of rows) (columns[steps.get(row.id) ?? 0] ??= []).push(row);
  const places = new Map<string, PlacedTask>();
  for (const [step, column = []] of columns.entries()) {
    const wished = new Map(column.map((row, index) => [row.id, middleOf(row, places) ?? index]));
    const sorted = [...column].sort((a, b) => (wished.get(a.id) ?? 0) - (wished.get(b.id) ?? 0));
    for (const [index, row] of sorted.entries())
      places.set(row.id, { row, x: step * (NODE.width + NODE.gapX), y: index * (NODE.height + NODE.gapY) });
  }
  const placed = [...places.values()];
  const edges = placed.flatMap((to) =>
    to.row.blockedBy.flatMap((id) => {
      const from = places.get(id);
      return from === undefined ? [] : [{ from, to, isCritical: isNextOn(path, id, to.row.id) }];
    }),
  );
  return {
    tasks: placed,
    edges,
    width: Math.max(1, columns.length) * (NODE.width + NODE.gapX) - NODE.gapX,
    height: Math.max(1, ...columns.map((column) => column.length)) * (NODE.height + NODE.gapY) - NODE.gapY,
    hidden: tasks.size - rows.length,
  };
}

const isNextOn = (path: readonly string[], from: string, to: string): boolean => {
  const at = path.indexOf(from);
  return at >= 0 && path[at + 1] === to;
};

/** The length of the longest chain of shown blockers; a board has no cycle. */
function stepsOf(rows: ReadonlyMap<string, TaskRow>): Map<string, number> {
  const steps = new Map<string, number>();
  const stack = [...rows.keys()].reverse();
  for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
    const blockers = (rows.get(id)?.blockedBy ?? []).filter((one) => rows.has(one));
    const open = blockers.filter((one) => !steps.has(one));
    if (open.length > 0 && !steps.has(id)) {
      stack.push(...open);
      continue;
    }
    steps.set(id, Math.max(-1, ...blockers.map((one) => steps.get(one) ?? -1)) + 1);
    stack.pop();
  }
  return steps;
}

/** Beside its blockers. */
function middleOf({ blockedBy }: TaskRow, places: ReadonlyMap<string, PlacedTask>): number | undefined {
  const rows = blockedBy.flatMap((id) => places.get(id)?.y ?? []);
  return rows.length === 0 ? undefined : rows.reduce((sum, y) => sum + y, 0) / rows.length / (NODE.height + NODE.gapY);
}
