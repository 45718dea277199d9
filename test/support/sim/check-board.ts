/** T1 to T9, S5 and P6, over the log at the end and what the processes saw. */
import { advance, type AdvanceOutcome } from '../../../src/model/board/advance.ts';
import { claimOf, emptyBoard, openBlockers, type Board } from '../../../src/model/board/board.ts';
import { parseBoardLine } from '../../../src/model/board/board-line.ts';
import { type BoardEvent, type Change } from '../../../src/model/board/event.ts';
import { LEAD } from '../../../src/model/text/names.ts';
import { isFinal, type Task } from '../../../src/model/board/task.ts';
import type { Violation } from './check.ts';
import { those, type Noted } from './history.ts';
import type { Machine } from './machine.ts';
import { PATHS } from './scenarios/inbox.ts';
import { hash } from './scenarios/board-processes.ts';

interface Folded {
  readonly board: Board;
  /** The board at the ends of lines that a process folded to, by offset in bytes. */
  readonly hashes: ReadonlyMap<number, string>;
  readonly violations: readonly Violation[];
}

export function checkBoard({ files, notes, hasLostPower, powerLostAt }: Machine): Violation[] {
  const text = files.text(PATHS.log);
  if (text === undefined) return [];
  const since = notes.filter(({ at }) => !hasLostPower || at > powerLostAt);
  const folded = foldWhole(text, new Set(those(since, 'folded').map(({ offset }) => offset)));
  return [
    ...folded.violations,
    ...disagreeing(folded, since),
    ...doubled(since),
    ...forgotten(folded.board, notes),
    ...those(notes, 'damaged').map(({ why }) => ({ id: 'T2', what: why })),
  ];
}

/** Folds one event after the other and checks each step; a process stops at an unknown event. */
function foldWhole(text: string, wanted: ReadonlySet<number>): Folded {
  const board = emptyBoard();
  const hashes = new Map<number, string>();
  const violations: Violation[] = [];
  let end = 0;
  for (const line of text.split('\n').slice(0, -1)) {
    end += Buffer.byteLength(line) + 1;
    if (isNewer(line)) break;
    const parsed = line === '' ? undefined : parseBoardLine(line);
    if (parsed?.kind === 'event') violations.push(...step(board, parsed.event));
    if (wanted.has(end)) hashes.set(end, hash(board));
  }
  return { board, hashes, violations };
}

/** Decided without the law, which may be a mutant's. A record torn behind an inner brace is no record. */
function isNewer(line: string): boolean {
  if (!/"v":([3-9]|\d\d+)[,}]/.test(line)) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function step(board: Board, event: BoardEvent): Violation[] {
  const before = new Map(board.tasks);
  const lead = board.lead;
  const outcome = advance(board, event);
  return [
    ...leadership(board, lead.epoch, event, outcome),
    ...[...board.tasks.values()].flatMap((task) => [...moved(board, before.get(task.id), task, event)]),
  ];
}

const changesOf = (event: BoardEvent): readonly Change[] => (event.type === 'batch' ? event.changes : [event]);

function* leadership(
  board: Board,
  before: number,
  { author, type }: BoardEvent,
  { ok }: AdvanceOutcome,
): Generator<Violation> {
  const { epoch } = board.lead;
  if (epoch !== before && epoch !== before + 1) yield { id: 'S5', what: `the epoch went from ${before} to ${epoch}` };
  if (ok && 'lead' in author && author.epoch !== epoch)
    yield { id: 'P6', what: `${type} of lead ${author.epoch} counted under ${epoch}` };
}

function* moved(board: Board, before: Task | undefined, now: Task, event: BoardEvent): Generator<Violation> {
  if (before === now) return;
  const is = `#${now.id} went from ${before?.status ?? 'nothing'} to ${now.status} by ${event.type}`;
  const types = new Set(changesOf(event).map(({ type }) => type));
  if (
    before &&
    isFinal(before) &&
    !(before.status === 'failed' && (types.has('task.retried') || types.has('task.skipped'))) &&
    // A retry brings back what was skipped because of the task.
    !(before.status === 'skipped' && before.because !== undefined && types.has('task.retried'))
  )
    yield { id: 'T3', what: is };
  const claim = claimOf(now);
  if (claim && before?.status !== 'in_progress') {
    if (openBlockers(board, now).length > 0) yield { id: 'T4', what: is };
    const member = board.members.get(claim.member);
    if (claim.member !== LEAD && (member?.state !== 'joined' || member.incarnation !== claim.incarnation))
      yield { id: 'T8', what: is };
    if (claim.epoch !== (before?.claims ?? 0) + 1) yield { id: 'T6', what: is };
  }
  if (
    now.status === 'completed' &&
    event.type === 'task.completed' &&
    event.epoch !== (before && claimOf(before)?.epoch)
  )
    yield { id: 'T6', what: is };
  if (now.attempts > now.retries + 1) yield { id: 'T7', what: is };
}

/**
 * A process that folded to an offset saw the board of that offset, in any number of pieces; and none folded past the
 * point where it must stop.
 */
function* disagreeing({ hashes }: Folded, notes: readonly Noted[]): Generator<Violation> {
  for (const { by, offset, hash: seen } of those(notes, 'folded')) {
    const is = hashes.get(offset);
    if (is !== seen)
      yield { id: 'T9', what: `${by} sees another board at ${offset}${is === undefined ? ', where none is' : ''}` };
  }
}

function* doubled(notes: readonly Noted[]): Generator<Violation> {
  const claims = new Map<string, number>();
  for (const { task, epoch, by, life } of those(notes, 'claimed')) {
    const key = `${task}.${epoch}`;
    if (claims.has(key)) yield { id: 'T1', what: `claim ${key} was won by ${by} too` };
    claims.set(key, life);
  }
  const leads = those(notes, 'leads').map(({ epoch }) => epoch);
  if (new Set(leads).size < leads.length) yield { id: 'P6', what: `two lead: ${leads.join(', ')}` };
}

/** What was acknowledged and flushed is there. */
function* forgotten(board: Board, notes: readonly Noted[]): Generator<Violation> {
  for (const { task, subject } of those(notes, 'created'))
    if (board.tasks.get(task)?.subject !== subject) yield { id: 'T2', what: `#${task}, ${subject}, is not there` };
  for (const { task, epoch } of those(notes, 'completed')) {
    const now = board.tasks.get(task);
    if (now?.status !== 'completed' || now.by.epoch !== epoch)
      yield { id: 'T6', what: `the completion ${task}.${epoch} does not count` };
  }
}
