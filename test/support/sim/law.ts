/**
 * Replaces the board's law in a simulation, by `vi.mock`: the product's own, except for the step that a mutant does
 * differently.
 */
import type { AdvanceOutcome } from '../../../src/model/board/advance.ts';
import type { Board } from '../../../src/model/board/board.ts';
import type { ParsedLine } from '../../../src/model/board/board-line.ts';
import type { BoardEvent } from '../../../src/model/board/event.ts';
import type { Run } from './life.ts';

type Parse = (line: string) => ParsedLine;
type Advance = (board: Board, event: BoardEvent) => AdvanceOutcome;

export interface Law {
  /** The event that the law gets instead. */
  readonly before?: (board: Board, event: BoardEvent, run: Run | undefined) => BoardEvent;
  readonly parsed?: (line: ParsedLine) => ParsedLine;
}

let current: Law = {};
let run: Run | undefined;

/** From here on this is the law. */
export function setLaw(law: Law): void {
  current = law;
}

/** From here on this process folds. */
export function foldAs(process: Run | undefined): void {
  run = process;
}

/** Parsed lines: each replay parses the same ones again, and an event is never changed. */
const known = new Map<string, ParsedLine>();
const KNOWN = 10_000;

/** `model/board/event.ts` under the law. */
export function withParsing<M extends { parseBoardLine: Parse }>(model: M): M {
  const parseBoardLine: Parse = (line) => {
    let parsed = known.get(line);
    if (parsed === undefined) {
      if (known.size > KNOWN) known.clear();
      parsed = model.parseBoardLine(line);
      known.set(line, parsed);
    }
    return current.parsed?.(parsed) ?? parsed;
  };
  return { ...model, parseBoardLine };
}

/** `model/board/advance.ts` under the law. */
export function withJudging<M extends { advance: Advance }>(model: M): M {
  const advance: Advance = (board, event) => model.advance(board, current.before?.(board, event, run) ?? event);
  return { ...model, advance };
}
