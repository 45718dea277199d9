/**
 * The queue of changes that wait to land, as pure rules (docs/isolation.md): which changes may come in and in which
 * order, and what to do next with the stack that they make on the common state. `runtime/landing` looks, asks, acts.
 */
import type { Board } from '../../model/board/board.ts';
import { landingTasks } from '../../model/board/listed-tasks.ts';
import { reviewOf } from '../../model/board/request.ts';
import { isFinal, type BounceCause, type LandingTask, type Task } from '../../model/board/task.ts';

/** A change that was sent back holds its files until it lands or its task ends. */
interface Hold {
  readonly task: string;
  readonly since: string;
  readonly files: ReadonlySet<string>;
}

/** The holds of a board, oldest first. */
export function holdsIn({ tasks }: Pick<Board, 'tasks'>): Hold[] {
  const held = [...tasks.values()].flatMap((task): Hold[] =>
    task.bounced === undefined || isFinal(task)
      ? []
      : [{ task: task.id, since: task.bounced.since, files: new Set([...task.bounced.files, ...filesOf(task)]) }],
  );
  return held.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : Number(a.task) - Number(b.task)));
}

const filesOf = (task: Task): readonly string[] => ('result' in task ? task.result.files : []);

/**
 * The older hold for which a change must wait, and the file that both touch: so there is no circle.
 *
 * @param holds oldest first
 */
export function heldBack(
  { id, result }: LandingTask,
  holds: readonly Hold[],
): { readonly task: string; readonly file: string } | undefined {
  for (const hold of holds) {
    if (hold.task === id) return undefined;
    const file = result.files.find((path) => hold.files.has(path));
    if (file !== undefined) return { task: hold.task, file };
  }
  return undefined;
}

/** Whether no person has to look at a change before it lands, or one accepted it. */
function isAccepted(board: Board, task: LandingTask): boolean {
  const review = reviewOf(board, task);
  return review === undefined || (review.state === 'answered' && review.approve);
}

/** The oldest change that a person sends back, with what they said. */
export function refusedChange(board: Board): { readonly task: LandingTask; readonly why: string } | undefined {
  for (const task of landingTasks(board)) {
    const review = reviewOf(board, task);
    if (review?.state === 'answered' && !review.approve) return { task, why: review.answer };
  }
  return undefined;
}

/** The changes that may come in now, in their order, at most `most` of them. */
export function line(board: Board, most: number): LandingTask[] {
  const holds = holdsIn(board);
  const rank = new Map(holds.map(({ task }, at) => [task, at]));
  return landingTasks(board)
    .filter((task) => heldBack(task, holds) === undefined && isAccepted(board, task))
    .map((task, at) => ({ task, at: rank.get(task.id) ?? holds.length + at }))
    .sort((a, b) => a.at - b.at)
    .slice(0, most)
    .map(({ task }) => task);
}

/** A change on top of those before it: its tree, or why there is none. */
export type LineEntry = { readonly task: LandingTask } & (
  | { readonly kind: 'stacked'; readonly tree: string; readonly commit: string }
  | { readonly kind: 'stray'; readonly why: string; readonly files: readonly string[] }
  /** `onMain`: it does not fit to what landed; otherwise only to a change before it, which may be sent back. */
  | { readonly kind: 'conflict'; readonly onMain: boolean; readonly why: string; readonly files: readonly string[] }
  /** Git fails on it, perhaps for a moment. */
  | { readonly kind: 'failed'; readonly why: string }
);
export type Stacked = Extract<LineEntry, { kind: 'stacked' }>;

/** How the gates judged a tree: by its id, so that nothing is judged twice. */
export interface GateVerdict {
  readonly ok: boolean;
  /** How often they were red. */
  readonly red: number;
  readonly why: string;
}

export type QueueStep =
  | { readonly do: 'wait' }
  | { readonly do: 'gate'; readonly upTo: Stacked }
  | { readonly do: 'land'; readonly upTo: Stacked }
  | {
      readonly do: 'bounce';
      readonly entry: LineEntry;
      readonly cause: BounceCause;
      readonly why: string;
      readonly files: readonly string[];
    };

/** How often a red change is judged before it goes back: a gate may fail by chance. */
const MOST_RED = 2;

/**
 * @param stack in the order of the line
 * @param verdicts by tree
 */
export function next(stack: readonly LineEntry[], verdicts: ReadonlyMap<string, GateVerdict>): QueueStep {
  for (const entry of stack) {
    if (entry.kind === 'stray') return { do: 'bounce', entry, cause: 'stray', why: entry.why, files: entry.files };
    if (entry.kind === 'conflict' && entry.onMain)
      return { do: 'bounce', entry, cause: 'conflict', why: entry.why, files: entry.files };
  }
  // What git fails on is tried again. What conflicts with a change before it waits until that one has landed or gone back.
  const stacked = stack.flatMap((entry) => (entry.kind === 'stacked' ? [entry] : []));
  const first = stacked[0];
  if (first === undefined) return { do: 'wait' };
  const green = stacked.findLast(({ tree }) => verdicts.get(tree)?.ok === true);
  const firstRed = stacked.findIndex(({ tree }) => verdicts.get(tree)?.ok === false);
  if (green !== undefined) return { do: 'land', upTo: green };
  if (firstRed < 0) return { do: 'gate', upTo: stacked.at(-1) ?? first };
  if (firstRed === 0) {
    const { red = 0, why = '' } = verdicts.get(first.tree) ?? {};
    return red < MOST_RED
      ? { do: 'gate', upTo: first }
      : { do: 'bounce', entry: first, cause: 'gate', why, files: first.task.result.files };
  }
  // The culprit is among those up to the first red one: the half before it is judged next.
  return { do: 'gate', upTo: stacked[Math.floor((firstRed - 1) / 2)] ?? first };
}
