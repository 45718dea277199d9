/**
 * The rules of the board: only `advance(board, event)` makes tasks. Every process folds the same bytes in the same
 * order and gets the same board. The first valid event in file order wins; an event that is not legal at its position
 * changes nothing. It reads only its two arguments: no clock, no random number, no locale.
 *
 *   Tasks:  pending ─claimed→ in_progress ─completed→ completed
 *              ↑ └─────────────┘ released, or failed with attempts left
 *              └─retried─ failed ←─failed── in_progress        pending | in_progress ─→ skipped | cancelled
 *   With trees: in_progress ─submitted→ landing ─landed→ completed, or ─bounced→ pending
 */
import { authorRefusal } from './authority.ts';
import { isReady, refused, type Board, type Refused } from './board.ts';
import { apply, undoOfHeader, type BoardEffect, type Ruling, type Undo } from './board-effect.ts';
import type { Author, BoardEvent, Change, LogVersion } from './event.ts';
import { ruleRequestWithdrawn } from './request-law.ts';
import { ruleTask } from './task-law.ts';
import type { Task } from './task.ts';
import { voucherOf } from './vouched-commands.ts';
import { ruleTeam } from './team-law.ts';

export interface Accepted {
  readonly ok: true;
  /** Ids of the tasks that this event changed. */
  readonly changed: readonly string[];
}
export type AdvanceOutcome = Accepted | Refused;

/**
 * Judges one event and applies it if it is legal.
 *
 * @param board the fold so far; changed in place, and only if the outcome is `ok`
 * @returns what changed, or why nothing did
 */
export function advance(board: Board, event: BoardEvent): AdvanceOutcome {
  const { size } = board.seen;
  if (board.seen.add(event.id).size === size) return refused('REPEATED', 'this record was judged before');
  const outcome = event.type === 'batch' ? together(board, event.changes, event.author, event.at) : one(board, event);
  if (outcome.ok) vouch(board, event);
  return outcome;
}

function vouch({ vouchers }: Board, event: BoardEvent): void {
  const voucher = voucherOf(event);
  if (voucher) for (const { task } of voucher.commands) vouchers.set(task, voucher);
}

function one(board: Board, event: Exclude<BoardEvent, { type: 'batch' }>): AdvanceOutcome {
  const ruling = rule(board, event, event.author, event.at);
  if ('ok' in ruling) return ruling;
  apply(board, ruling);
  if (event.type === 'log.opened' || event.type === 'lead.took') board.version = max(board.version, event.v);
  return { ok: true, changed: idsOf(ruling) };
}

/** Nearly always it is one. */
function idsOf({ tasks = [] }: BoardEffect): string[] {
  const first = tasks[0];
  return first !== undefined && tasks.length === 1 ? [first.id] : tasks.map(({ id }) => id);
}

const max = (a: LogVersion, b: LogVersion): LogVersion => (a > b ? a : b);

/** Applies all changes of a batch or none; each change is judged on the board that the earlier ones left. */
function together(board: Board, changes: readonly Change[], author: Author, at: string): AdvanceOutcome {
  const changed = new Set<string>();
  const undo: Undo[] = [undoOfHeader(board)];
  for (const change of changes) {
    const ruling = rule(board, change, author, at);
    if ('ok' in ruling) {
      for (const takeBack of undo.reverse()) takeBack();
      return ruling;
    }
    apply(board, ruling, undo);
    if (ruling.tasks) for (const { id } of ruling.tasks) changed.add(id);
  }
  return { ok: true, changed: [...changed] };
}

function rule(board: Board, change: Change, author: Author, at: string): Ruling {
  if (board.team === undefined && change.type !== 'log.opened') return refused('TEAM_CLOSED', 'the log is not opened');
  if (board.phase === 'closed') return refused('TEAM_CLOSED', 'the team is closed');
  const refusal = authorRefusal(board, change, author);
  if (refusal) return refusal;
  const ruling = 'task' in change ? ruleTask(board, change, author, at) : ruleTeam(board, change, author, at);
  return board.open.size === 0 || 'ok' in ruling ? ruling : withEndedRequests(board, ruling);
}

function withEndedRequests(board: Board, ruling: BoardEffect): BoardEffect {
  const ended = ruleRequestWithdrawn(board, ruling);
  return ended.length === 0 ? ruling : { ...ruling, requests: [...(ruling.requests ?? []), ...ended] };
}

/** The ready tasks among those that an event changed and those that wait for them. */
export function newlyReady(board: Board, changed: readonly string[]): Task[] {
  const near = new Set(changed.flatMap((id) => [id, ...(board.waiting.get(id) ?? [])]));
  return [...near].flatMap((id) => board.tasks.get(id) ?? []).filter((task) => isReady(board, task));
}
