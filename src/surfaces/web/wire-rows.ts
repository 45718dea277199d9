/** Makes the page's rows from the views. Pure. */
import {
  cardOf,
  placeOfMember,
  type TeamSnapshot,
  type ClaimSpan,
  type Spending,
  type TeamProjection,
  type Task,
} from '../../app.ts';
import { eventLine, isOfBoard, type ShownEvent } from '../../app.ts';
import type { EventRow, MemberRow, SpanRow, Spent, TaskRow } from './wire-types.ts';

type Board = TeamSnapshot['board'];

export const spentOf = ({ tokens, usd, unpriced, unknown }: Spending): Spent => ({
  tokens,
  usd,
  isUnknown: unpriced.length > 0 || unknown.length > 0,
});
const spentIn = (spending: Spending | undefined): Spent | null => (spending === undefined ? null : spentOf(spending));

export function taskRow(board: Board, task: Task, spending: Spending | undefined): TaskRow {
  const { id, subject, column, member, waitsFor, asks, attempts, isBegun, since, reason = null } = cardOf(board, task);
  return {
    id,
    subject,
    column,
    member,
    role: task.role ?? null,
    blockedBy: task.blockedBy,
    waitsFor,
    asks,
    attempts,
    isBegun,
    since: Date.parse(since),
    reason,
    spent: spentIn(spending),
  };
}

export const spanRow = ({ task, member, claim, from, to, end }: ClaimSpan): SpanRow => ({
  task,
  member,
  claim,
  from,
  to: to ?? null,
  end: end ?? null,
});

export const eventRow = (event: ShownEvent): EventRow => ({
  number: event.number,
  at: Date.parse(event.at),
  member: event.member ?? null,
  type: event.type,
  text: eventLine(event).slice(0, 500),
  isOfBoard: isOfBoard(event),
});

/** Members from the board alone, before the events are read. */
export const sketchedMembers = (board: Board): MemberRow[] =>
  [...board.members.values()].map(({ name, role }, color) => ({
    name,
    role,
    color,
    state: 'unknown',
    reason: '',
    pid: null,
    place: null,
    task: board.busy.get(name) ?? null,
    unread: 0,
    spent: null,
    words: null,
  }));

export const memberRows = ({ members }: TeamSnapshot, { spending, words }: TeamProjection): MemberRow[] =>
  members.map(({ name, role, state, reason, pid, task, unread, ...where }, color) => ({
    name,
    role,
    color,
    state,
    reason,
    pid,
    place: placeOfMember(where) ?? null,
    task,
    unread,
    spent: spentIn(spending.members.get(name)),
    words: words.get(name)?.slice(0, 300) ?? null,
  }));
