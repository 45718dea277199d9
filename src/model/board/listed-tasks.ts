/**
 * Questions about few tasks among many, answered from the lists that the board keeps: which are pending, which may be
 * started, which a member should claim next. The functions only read.
 */
import type { IdSet } from './id-set.ts';
import { claimRefusal, dependants, isReady, type Board } from './board.ts';
import { byId, type LandingTask, type Task } from './task.ts';
import {
  CHECKPOINTS,
  doneLists,
  LANDING,
  listOf,
  MISSED,
  OFFERED,
  offeredTo,
  openOffers,
  PENDING,
  pendingOf,
} from './task-lists.ts';
import type { Name } from '../text/names.ts';

const NO_TASKS: ReadonlySet<string> = new Set();

/** Pending tasks, lowest id first. */
export const pendingTasks = (board: Board): Generator<Task> => tasksOf(board, listOf(board.lists, PENDING));

/** Pending tasks of an owner, lowest id first. */
export const pendingTasksOf = (board: Board, owner: Name): Generator<Task> =>
  tasksOf(board, listOf(board.lists, pendingOf(owner)));

/** Tasks that may be started now, lowest id first. */
export function* readyTasks(board: Board): Generator<Task> {
  for (const task of tasksOf(board, listOf(board.lists, OFFERED))) if (isReady(board, task)) yield task;
}

/** The same of an owner. */
export function* readyTasksOf(board: Board, owner: Name): Generator<Task> {
  for (const task of offeredTasksOf(board, owner)) if (isReady(board, task)) yield task;
}

/** Pending tasks of an owner without an unresolved blocker, lowest id first. */
export const offeredTasksOf = (board: Board, owner: Name): Generator<Task> =>
  tasksOf(board, listOf(board.lists, offeredTo(owner)));

/** Whether a task waits that may be one for this member, now or later. */
export const mayGetTask = ({ lists }: Board, name: Name): boolean =>
  listOf(lists, pendingOf(name)).size > 0 || openOffers(lists).some(({ size }) => size > 0);

/** Checkpoints that wait for a person, lowest id first. */
export function* readyCheckpoints(board: Board): Generator<Task> {
  for (const task of tasksOf(board, listOf(board.lists, CHECKPOINTS))) if (isReady(board, task)) yield task;
}

/** Tasks whose change waits to land, in the order in which they were submitted. */
export function landingTasks(board: Board): LandingTask[] {
  const found: LandingTask[] = [];
  for (const task of tasksOf(board, listOf(board.lists, LANDING))) if (task.status === 'landing') found.push(task);
  return found.sort((a, b) =>
    a.submitted_at < b.submitted_at ? -1 : a.submitted_at > b.submitted_at ? 1 : byId(a, b),
  );
}

/** Tasks that are final and not completed, lowest id first. */
export const missedTasks = (board: Board): Generator<Task> => tasksOf(board, listOf(board.lists, MISSED));

/** Completed tasks that are not in a set, lowest id first. */
export function completedBeyond(board: Board, known: IdSet): Task[] {
  const ids = new Set<number>();
  for (const done of doneLists(board.lists)) for (const id of done.beyond(known)) ids.add(id);
  return [
    ...tasksOf(
      board,
      [...ids].sort((a, b) => a - b),
    ),
  ];
}

/** Pending tasks that wait for a task which failed or was cancelled, each once, lowest id first. */
export function waitingForMissed(board: Board): Task[] {
  const found = new Map<string, Task>();
  for (const missed of missedTasks(board))
    if (missed.status !== 'skipped')
      for (const task of dependants(board, missed.id)) if (task.status === 'pending') found.set(task.id, task);
  return [...found.values()].sort(byId);
}

/** The tasks with these ids, in their order. */
export function* tasksOf({ tasks }: Board, ids: Iterable<number | string>): Generator<Task> {
  for (const id of ids) {
    const task = tasks.get(String(id));
    if (task) yield task;
  }
}

/**
 * The task that this member should claim next: ready and allowed; its own tasks before unowned ones, then the lowest
 * id.
 */
export const nextClaim = (board: Board, name: Name, except: ReadonlySet<string> = NO_TASKS): Task | undefined =>
  nextClaims(board, name, { except, most: 1 })[0];

interface ClaimsWanted {
  readonly except: ReadonlySet<string>;
  readonly most: number;
  /** Of those that belong to nobody, one with such an id is enough: the others are not looked at if it is found early. */
  readonly isEnough?: (id: number) => boolean;
}

/**
 * The tasks that this member may claim, as {@link nextClaim} says it: the first of its own; else at most `most` that
 * belong to nobody, lowest id first, or the first of these that is enough.
 */
export function nextClaims(board: Board, name: Name, { except, most, isEnough }: ClaimsWanted): Task[] {
  const { members, lists, tasks } = board;
  const member = members.get(name);
  // No task is asked about where every answer is the same.
  if (board.phase !== 'open' || board.busy.has(name)) return [];
  const own = lists.get(offeredTo(name));
  if (own)
    for (const task of tasksOf(board, own))
      if (!except.has(task.id) && claimRefusal(board, task, member, name) === undefined) return [task];
  const offers = openOffers(lists);
  const [only] = offers;
  if (isEnough !== undefined && only !== undefined && offers.length === 1) {
    let at = 0;
    for (const id of only) {
      // What it may not claim of those before makes its place an earlier one.
      if (at === most) break;
      at += 1;
      if (!isEnough(id)) continue;
      const task = tasks.get(String(id));
      if (task === undefined || except.has(task.id)) continue;
      if (claimRefusal(board, task, member, name) === undefined) return [task];
    }
  }
  let found: Task[] = [];
  for (const ids of offers) {
    const end = Number(found[most - 1]?.id ?? Infinity);
    const more: Task[] = [];
    for (const id of ids) {
      if (more.length === most || id > end) break;
      const task = tasks.get(String(id));
      if (task === undefined || except.has(task.id)) continue;
      const refusal = claimRefusal(board, task, member, name);
      if (refusal === undefined) more.push(task);
      // What is denied by a rule about the member is denied for the whole list.
      else if (refusal.code === 'POLICY_DENIED') break;
    }
    if (more.length > 0) found = found.length === 0 ? more : [...found, ...more].sort(byId).slice(0, most);
  }
  return found;
}
