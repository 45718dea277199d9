/** One line of the log on a board. */
import { advance, type AdvanceOutcome } from '../../model/board/advance.ts';
import type { Board } from '../../model/board/board.ts';
import { parseBoardLine, type ParsedLine } from '../../model/board/board-line.ts';
import { type BoardEvent } from '../../model/board/event.ts';
import type { Journal } from '../files/journal.ts';
import type { FileLine } from '../files/lines.ts';
import type { NoiseRuns } from './noise.ts';

export interface Folded {
  readonly event: BoardEvent;
  readonly outcome: AdvanceOutcome;
}

export interface Replayed extends Folded {
  /** The offset of its record. */
  readonly at: number;
  /** With the event. It is one object that the next event changes. */
  readonly board: Board;
}

export const parseLine = (line: FileLine): ParsedLine =>
  line.kind === 'text' ? parseBoardLine(line.text) : { kind: 'noise', why: `${line.kind} bytes` };

/** Undefined for a record that was judged before. */
export function judged(board: Board, event: BoardEvent): Folded | undefined {
  const outcome = advance(board, event);
  return !outcome.ok && outcome.code === 'REPEATED' ? undefined : { event, outcome };
}

/** Folds a part of the log on a board; yields every event, each once, with the offset of its record. */
export function* foldPart(
  journal: Journal,
  board: Board,
  { from = 0, until = Infinity, noise }: { from?: number; until?: number; noise?: NoiseRuns } = {},
): Generator<Folded & { readonly at: number }> {
  for (const line of journal.read(from)) {
    if (line.at >= until) return;
    const parsed = parseLine(line);
    if (parsed.kind === 'noise') noise?.add(line, parsed.why);
    else noise?.endRun();
    const folded = parsed.kind === 'event' ? judged(board, parsed.event) : undefined;
    if (folded) yield { ...folded, at: line.at };
  }
}
