/**
 * The effect of a legal change on a board, as a value, and the only function that applies it. The indices (`busy`,
 * `waiting`, `unresolved`, `tally`, `unique`, `lists`, `lastTaskId`, `open`) follow from tasks and requests; they are updated here
 * and nowhere else.
 */
import type { Board, Member, Refused } from './board.ts';
import type { Request } from './request.ts';
import { isInternal, isResolved, uniqueMarks, type Task } from './task.ts';
import { listAnew } from './task-lists.ts';

/** The fields of a board that are replaced as a whole. */
export type Header = Pick<Board, 'team' | 'profile' | 'claimMode' | 'phase' | 'lead' | 'common'>;

export interface BoardEffect {
  readonly header?: Partial<Header>;
  readonly member?: Member;
  /** New values of tasks; each replaces a whole task. */
  readonly tasks?: readonly Task[] | undefined;
  /** The same for requests. */
  readonly requests?: readonly Request[];
}

/** The effect of a change, or its refusal. */
export type Ruling = BoardEffect | Refused;

/** Undoes one step. */
export type Undo = () => unknown;

/** The first undo step of several effects: all that {@link apply} changes without a step of its own. */
export function undoOfHeader(board: Board): Undo {
  const { team, profile, claimMode, phase, lead, common, lastTaskId } = board;
  const tally = Object.assign({}, board.tally);
  return () => {
    Object.assign(board, { team, profile, claimMode, phase, lead, common, lastTaskId });
    Object.assign(board.tally, tally);
  };
}

/**
 * Applies an effect.
 *
 * @param undo receives the undo steps; run the last one first, and {@link undoOfHeader} after them. Absent if nothing is
 * ever undone
 */
export function apply(board: Board, { header, member, tasks, requests }: BoardEffect, undo?: Undo[]): void {
  if (header) Object.assign(board, header);
  if (member) put(board.members, member.name, member, undo);
  if (tasks?.[0] !== undefined) {
    keep(board, tasks[0], undo);
    if (tasks.length > 1) keepRest(board, tasks, undo);
  }
  if (requests) keepRequests(board, requests, undo);
}

/** Nearly always there is one task; and a closure in {@link apply} would cost each call as much as a step of it. */
function keepRest(board: Board, tasks: readonly Task[], undo?: Undo[]): void {
  for (const task of tasks.slice(1)) keep(board, task, undo);
}

function keepRequests(board: Board, requests: readonly Request[], undo?: Undo[]): void {
  for (const request of requests) keepRequest(board, request, undo);
}

function keepRequest({ requests, open }: Board, request: Request, undo?: Undo[]): void {
  put(requests, request.id, request, undo);
  if (request.state === 'open') put(open, request.id, request, undo);
  else drop(open, request.id, undo);
}

function keep(board: Board, task: Task, undo?: Undo[]): void {
  const before = board.tasks.get(task.id);
  const wasBlocked = before !== undefined && isBlocked(board, before);
  put(board.tasks, task.id, Object.freeze(task), undo);
  if (before?.status === 'in_progress') drop(board.busy, before.claim.member, undo);
  if (task.status === 'in_progress') put(board.busy, task.claim.member, task.id, undo);
  if (before?.blockedBy !== task.blockedBy && (before?.blockedBy.length ?? 0) + task.blockedBy.length > 0)
    rewire(board, before, task, undo);
  tell(board, before, wasBlocked, task, undo);
  const wasResolved = before !== undefined && isResolved(before);
  if (isResolved(task) !== wasResolved) countDown(board, task.id, wasResolved ? -1 : 1, undo);
  if (before?.subject !== task.subject || before.metadata !== task.metadata) mark(board, before, task, undo);
  if (before === undefined) board.lastTaskId = Math.max(board.lastTaskId, Number(task.id));
}

const isBlocked = ({ unresolved }: Board, { id, status }: Task): boolean => status === 'pending' && unresolved.has(id);

/** Moves a task to the lists of its new value and, where it is visible, counts the one instead of the other. */
function tell(board: Board, before: Task | undefined, wasBlocked: boolean, task: Task, undo?: Undo[]): void {
  const { tally, lists } = board;
  const isIt = isBlocked(board, task);
  listAnew(lists, before, wasBlocked, task, isIt);
  if (undo) undo.push(undoOfLists(lists, before, wasBlocked, task, isIt));
  if (before) tallyBy(tally, before, wasBlocked, -1);
  tallyBy(tally, task, isIt, 1);
}

const undoOfLists =
  (lists: Board['lists'], before: Task | undefined, wasBlocked: boolean, task: Task, isIt: boolean): Undo =>
  () =>
    listAnew(lists, task, isIt, before, wasBlocked);

function tallyBy(tally: Board['tally'], task: Task, blocked: boolean, by: 1 | -1): void {
  if (isInternal(task)) return;
  tally.total += by;
  tally[task.status] += by;
  if (blocked) tally.blocked += by;
}

/** Those that wait for a task have so many open blockers less: it was resolved, or a retry brought it back. */
function countDown(board: Board, id: string, by: 1 | -1, undo?: Undo[]): void {
  const all = board.waiting.get(id);
  if (all === undefined) return;
  for (const waiting of all) {
    const task = board.tasks.get(waiting);
    if (!task) continue;
    const wasBlocked = isBlocked(board, task);
    setCount(board.unresolved, waiting, (board.unresolved.get(waiting) ?? 0) - by, undo);
    tell(board, task, wasBlocked, task, undo);
  }
}

const setCount = <K>(counts: Map<K, number>, key: K, count: number, undo?: Undo[]): void =>
  count > 0 ? put(counts, key, count, undo) : drop(counts, key, undo);

function rewire(board: Board, before: Task | undefined, after: Task, undo?: Undo[]): void {
  const old = new Set(before?.blockedBy);
  const now = new Set(after.blockedBy);
  for (const blocker of old) if (!now.has(blocker)) cut(board.waiting, blocker, after.id, undo);
  for (const blocker of now) if (!old.has(blocker)) link(board.waiting, blocker, after.id, undo);
  let open = 0;
  for (const blocker of now) if (!isResolvedAt(board, blocker)) open += 1;
  setCount(board.unresolved, after.id, open, undo);
}

const isResolvedAt = ({ tasks }: Board, id: string): boolean => {
  const task = tasks.get(id);
  return task !== undefined && isResolved(task);
};

function mark(board: Board, before: Task | undefined, after: Task, undo?: Undo[]): void {
  if (before) for (const one of uniqueMarks(before)) drop(board.unique, one, undo);
  for (const one of uniqueMarks(after)) put(board.unique, one, after.id, undo);
}

function put<K, V>(map: Map<K, V>, key: K, value: V, undo?: Undo[]): void {
  if (undo) undo.push(undoOf(map, key));
  map.set(key, value);
}

function drop<K, V>(map: Map<K, V>, key: K, undo?: Undo[]): void {
  if (undo) undo.push(undoOf(map, key));
  map.delete(key);
}

/** Made here, not where it is needed: each call there would make room for what a closure keeps, also without one. */
function undoOf<K, V>(map: Map<K, V>, key: K): Undo {
  const before = map.get(key);
  return () => (before === undefined ? map.delete(key) : map.set(key, before));
}

function link(waiting: Board['waiting'], blocker: string, id: string, undo?: Undo[]): void {
  const ids = waiting.get(blocker);
  if (!ids) return put(waiting, blocker, [id], undo);
  ids.push(id);
  // For a map that gave out a copy of its own.
  waiting.set(blocker, ids);
  undo?.push(() => ids.pop());
}

function cut(waiting: Board['waiting'], blocker: string, id: string, undo?: Undo[]): void {
  const rest = waiting.get(blocker)?.filter((other) => other !== id) ?? [];
  if (rest.length > 0) put(waiting, blocker, rest, undo);
  else drop(waiting, blocker, undo);
}
