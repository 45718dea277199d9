/**
 * Places tasks for the graph: a column for each step of dependencies, few crossings in a column. A line that passes a
 * column has a place of its own there, so that none runs behind a task that it does not belong to. Pure.
 */
import type { TaskRow } from '../wire-types.ts';

export interface PlacedTask {
  readonly row: TaskRow;
  readonly x: number;
  readonly y: number;
}

export interface GraphLine {
  /** The blocker. */
  readonly from: PlacedTask;
  readonly to: PlacedTask;
  /** Where it passes the columns between the two, from left to right: from `x` on, as wide as a task. */
  readonly passed: readonly Place[];
  readonly isCritical: boolean;
}

export interface GraphLayout {
  readonly tasks: readonly PlacedTask[];
  readonly lines: readonly GraphLine[];
  readonly width: number;
  readonly height: number;
  /** How many tasks are left out. */
  readonly hidden: number;
}

export const NODE = { width: 240, height: 40, gapX: 56, gapY: 12 };
/** The height that a line has in a column that it passes. */
export const LINE = 4;
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
  const rows = shownTasks(tasks, new Set(path)).sort((a, b) => Number(a.id) - Number(b.id));
  const { columns, tasks: spots } = columnsOf(rows);
  const { places, height } = placed(columns);
  const at = (spot: Spot): Place => places.get(spot) ?? { x: 0, y: 0 };
  const all = spots.map(({ row, spot }): PlacedTask => ({ row, ...at(spot) }));
  const known = new Map(all.map((task) => [task.row.id, task]));
  return {
    tasks: all,
    lines: spots.flatMap(({ row, passes }, index) =>
      row.blockedBy.flatMap((id): GraphLine[] => {
        const [from, to] = [known.get(id), all[index]];
        if (from === undefined || to === undefined) return [];
        const passed = passes.map(at).filter(({ x }) => x > from.x);
        return [{ from, to, passed, isCritical: isNextOn(path, id, row.id) }];
      }),
    ),
    width: Math.max(1, columns.length) * (NODE.width + NODE.gapX) - NODE.gapX,
    height,
    hidden: tasks.size - rows.length,
  };
}

/** What has a place in a column: a task, or the lines to a task of a later column, which pass it together. */
interface Spot {
  readonly step: number;
  readonly height: number;
  /** What its lines come from, in the column before. */
  readonly before: readonly Spot[];
}

interface SpottedTask {
  readonly row: TaskRow;
  readonly spot: Spot;
  /** Where the lines to it pass columns, from left to right. */
  readonly passes: readonly Spot[];
}

function columnsOf(rows: readonly TaskRow[]): { columns: Spot[][]; tasks: SpottedTask[] } {
  const steps = stepsOf(new Map(rows.map((row) => [row.id, row])));
  const stepOf = ({ id }: TaskRow): number => steps.get(id) ?? 0;
  const columns: Spot[][] = [];
  const known = new Map<string, Spot>();
  const add = (step: number, height: number, before: readonly Spot[]): Spot => {
    const spot = { step, height, before: before.filter((one) => one.step === step - 1) };
    (columns[step] ??= []).push(spot);
    return spot;
  };
  const tasks = rows
    .toSorted((a, b) => stepOf(a) - stepOf(b))
    .map((row): SpottedTask => {
      const blockers = row.blockedBy.flatMap((id) => known.get(id) ?? []);
      const passes: Spot[] = [];
      const first = Math.min(stepOf(row), ...blockers.map(({ step }) => step + 1));
      for (let step = first; step < stepOf(row); step += 1) passes.push(add(step, LINE, [...blockers, ...passes]));
      const spot = add(stepOf(row), NODE.height, [...blockers, ...passes]);
      known.set(row.id, spot);
      return { row, spot, passes };
    });
  return { columns, tasks };
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** One below the other in each column, in the order of what their lines come from. */
function placed(columns: readonly (readonly Spot[])[]): { places: Map<Spot, Place>; height: number } {
  const places = new Map<Spot, Place>();
  let most = NODE.height;
  for (const [step, column] of columns.entries()) {
    const wished = new Map(column.map((spot, index) => [spot, middleOf(spot.before, places) ?? index]));
    let y = 0;
    for (const spot of column.toSorted((a, b) => (wished.get(a) ?? 0) - (wished.get(b) ?? 0))) {
      places.set(spot, { x: step * (NODE.width + NODE.gapX), y });
      y += spot.height + NODE.gapY;
    }
    most = Math.max(most, y - NODE.gapY);
  }
  return { places, height: most };
}

function middleOf(spots: readonly Spot[], places: ReadonlyMap<Spot, Place>): number | undefined {
  const middles = spots.map((spot) => (places.get(spot)?.y ?? 0) + spot.height / 2);
  return middles.length === 0 ? undefined : middles.reduce((sum, y) => sum + y, 0) / middles.length;
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
