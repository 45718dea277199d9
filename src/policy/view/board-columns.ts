/** The board as columns of cards, by status; pending tasks are split into blocked and ready. */
import { dependants, isReady, openBlockers, type Board } from '../../model/board/board.ts';
import { questionOn } from '../../model/board/request.ts';
import { byId, isInternal, type Task } from '../../model/board/task.ts';

export const COLUMNS = [
  'blocked',
  'ready',
  'in_progress',
  'landing',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;
export type BoardColumn = (typeof COLUMNS)[number];

export interface Card {
  readonly id: string;
  readonly subject: string;
  readonly column: BoardColumn;
  /** The member that works on it or did it, else its owner. */
  readonly member: string | null;
  /** Ids of its open blockers, and ids of tasks that wait for it. */
  readonly waitsFor: readonly string[];
  readonly holds: readonly string[];
  /** A question about it is open. */
  readonly asks: boolean;
  /** Failed ones. */
  readonly attempts: number;
  /** Whether a member ever worked on it. */
  readonly isBegun: boolean;
  /** Its last change; for a task in progress, the time of its claim. */
  readonly since: string;
  /** Why it failed, was skipped or cancelled. */
  readonly reason?: string;
}

/** Each column by id, lowest first; internal tasks are left out. */
export function columnsOf(board: Board): Record<BoardColumn, Card[]> {
  const columns: Record<BoardColumn, Card[]> = {
    blocked: [],
    ready: [],
    in_progress: [],
    landing: [],
    completed: [],
    failed: [],
    skipped: [],
    cancelled: [],
  };
  for (const task of [...board.tasks.values()].sort(byId)) {
    if (isInternal(task)) continue;
    const card = cardOf(board, task);
    columns[card.column].push(card);
  }
  return columns;
}

export function cardOf(board: Board, task: Task): Card {
  const isPending = task.status === 'pending';
  return {
    id: task.id,
    subject: task.subject,
    column: columnOf(board, task),
    member: holderOf(task),
    waitsFor: isPending ? openBlockers(board, task) : [],
    holds: dependants(board, task.id).map(({ id }) => id),
    asks: questionOn(board, task.id) !== undefined,
    attempts: task.attempts,
    isBegun: task.claims > 0,
    since: task.status === 'in_progress' ? task.claimed_at : task.updated_at,
    ...('reason' in task ? { reason: task.reason } : {}),
  };
}

const columnOf = (board: Board, task: Task): BoardColumn => {
  if (task.status !== 'pending') return task.status;
  return isReady(board, task) ? 'ready' : 'blocked';
};

function holderOf(task: Task): string | null {
  if (task.status === 'in_progress') return task.claim.member;
  return ('by' in task ? task.by.member : undefined) ?? task.owner ?? null;
}
