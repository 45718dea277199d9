/**
 * What a lead must know of a log beside the board: each member's whole time, the claims that are held, and the mail that
 * the board caused last. It is folded with the board, so a lead that begins at a checkpoint knows it, too.
 */
import type { Accepted } from '../board/advance.ts';
import type { Board } from '../board/board.ts';
import type { BoardEvent } from '../board/event.ts';
import { isMembersFailure } from '../board/member-failure.ts';
import { claimOf } from '../board/board.ts';
import { emptyTrace, trace, traceFreed, type BoardTrace } from './board-trace.ts';
import type { Task } from '../board/task.ts';
import { workersOf } from '../board/task-lists.ts';
import { unblockedBy } from '../board/unblocking.ts';
import type { Name } from '../text/names.ts';

/** A member's whole time. */
export interface MemberPast {
  /** When its first process started, ISO 8601. */
  readonly spawnedAt?: string | undefined;
  /** How many tasks it ever owned or claimed. */
  readonly given: number;
  /** How many tasks it completed. */
  readonly completed: number;
  /** Its failed tasks in a row. */
  readonly failures: number;
  /** Milliseconds in which it held a claim that has ended. */
  readonly workedMs: number;
}

const NO_PAST: MemberPast = { given: 0, completed: 0, failures: 0, workedMs: 0 };

/** A claim that is held, and since when, ISO 8601. */
export interface HeldClaim {
  readonly member: Name;
  readonly epoch: number;
  readonly at: string;
}

/** A task whose last blocker was resolved, and that has not changed since: its owner may not have heard of it. */
export interface UnblockedTask {
  readonly task: string;
  readonly owner: Name;
  readonly blocker: string;
  /** The event that resolved the blocker. */
  readonly event: string;
}

export interface BoardPast {
  readonly members: Map<Name, MemberPast>;
  /** By task. */
  readonly held: Map<string, HeldClaim>;
  /** By task. */
  readonly unblocked: Map<string, UnblockedTask>;
  /** By task: the members that ever owned or claimed it. */
  readonly given: Map<string, readonly Name[]>;
  /** The longest chain of follow-ups. */
  depth: number;
  /** For views. */
  readonly trace: BoardTrace;
}

export const emptyPast = (): BoardPast => ({
  members: new Map(),
  held: new Map(),
  unblocked: new Map(),
  given: new Map(),
  depth: 0,
  trace: emptyTrace(),
});

export const pastOf = ({ members }: Pick<BoardPast, 'members'>, name: Name): MemberPast => members.get(name) ?? NO_PAST;

/**
 * Adds an accepted event.
 *
 * @param board with the event
 * @param place the offset of its record in the log
 */
export function remember(past: BoardPast, board: Board, event: BoardEvent, { changed }: Accepted, place: number): void {
  trace(past.trace, board, event, place);
  if (event.type === 'member.started' && pastOf(past, event.name).spawnedAt === undefined)
    note(past, event.name, { spawnedAt: event.at });
  if (event.type === 'task.landed') landed(past, board, event.task);
  if ('by' in event.author) authored(past, board, event, event.author.by);
  for (const id of changed) {
    past.unblocked.delete(id);
    const task = board.tasks.get(id);
    if (task) rememberTask(past, task, event.at);
  }
  for (const { task, owner, blocker } of unblockedBy(board, changed))
    past.unblocked.set(task.id, { task: task.id, owner, blocker: blocker.id, event: event.id });
}

function authored(past: BoardPast, board: Board, event: BoardEvent, name: Name): void {
  const { completed, failures } = pastOf(past, name);
  if (event.type === 'task.completed') note(past, name, { completed: completed + 1, failures: 0 });
  else if (event.type === 'task.failed' && isMembersFailure(board, event)) note(past, name, { failures: failures + 1 });
}

/** The lead writes that it landed; its author completed it. */
function landed(past: BoardPast, board: Board, id: string): void {
  const task = board.tasks.get(id);
  if (task?.status !== 'completed') return;
  const { member } = task.by;
  note(past, member, { completed: pastOf(past, member).completed + 1, failures: 0 });
}

function rememberTask(past: BoardPast, task: Task, at: string): void {
  const { id } = task;
  const { depth } = task.metadata;
  if (typeof depth === 'number' && depth > past.depth) past.depth = depth;
  const before = past.held.get(id);
  const claim = claimOf(task);
  if (before?.member !== claim?.member || before?.epoch !== claim?.epoch) {
    if (before) {
      past.held.delete(id);
      traceFreed(past.trace, before.member, at);
      note(past, before.member, { workedMs: pastOf(past, before.member).workedMs + between(before.at, at) });
    }
    if (claim) past.held.set(id, { member: claim.member, epoch: claim.epoch, at });
  }
  const known = past.given.get(id) ?? [];
  const added = workersOf(task).filter((name) => !known.includes(name));
  if (added.length === 0) return;
  past.given.set(id, [...known, ...added]);
  for (const name of added) note(past, name, { given: pastOf(past, name).given + 1 });
}

const note = ({ members }: BoardPast, name: Name, facts: Partial<MemberPast>): void =>
  void members.set(name, Object.assign({}, pastOf({ members }, name), facts));

/** Milliseconds, never negative: the clocks of two processes may differ a little. */
const between = (from: string, to: string): number => Math.max(0, Date.parse(to) - Date.parse(from));
