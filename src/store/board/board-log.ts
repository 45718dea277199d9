/**
 * The records of a board's log, read again: the history of the team or of a task, and where its records are. What the
 * checkpoint covers, at which the fold began, is found by its places.
 */
import type { BoardEvent } from '../../model/board/event.ts';
import { emptyBoard, type Board } from '../../model/board/board.ts';
import type { Journal } from '../files/journal.ts';
import type { CheckedBase } from './checkpoint/checked-base.ts';
import { boardAt, type Checkpoint } from './checkpoint/checkpoint.ts';
import { foldPart, parseLine, type Folded, type Replayed } from './fold-line.ts';
import type { TaskPlaces } from './trail.ts';

/** Where a fold began that did not begin at the start of the log. */
export interface FoldBeginning {
  readonly checkpoint: Checkpoint;
  readonly base: CheckedBase;
}

export class BoardLog {
  readonly #journal: Journal;
  readonly #fold: () => Board;
  readonly #beginning: () => FoldBeginning | undefined;

  /** @param beginning of the fold; undefined if it began at the start of the log, or has not begun */
  constructor(journal: Journal, fold: () => Board, beginning: () => FoldBeginning | undefined) {
    this.#journal = journal;
    this.#fold = fold;
    this.#beginning = beginning;
  }

  /**
   * Every event of the log with its outcome, each once, folded again from the start: the history of a task or of the
   * team.
   */
  history(): Generator<Folded> {
    return foldPart(this.#journal, emptyBoard());
  }

  /** {@link history}, each event with its place and with the board as it stood after it. */
  *replay(): Generator<Replayed> {
    const board = emptyBoard();
    for (const folded of foldPart(this.#journal, board)) yield { ...folded, board };
  }

  /** How far the checkpoint reaches at which this fold began; 0 if it began at the start of the log. */
  get begunAt(): number {
    return this.#beginning()?.checkpoint.header.log.offset ?? 0;
  }

  /** Where the records of a task are, in the part of the log that the checkpoint covers. */
  placesOf(id: string): TaskPlaces | undefined {
    return this.#beginning()?.base.row(id);
  }

  /** The record at an offset; undefined where none is. */
  recordAt(place: number): BoardEvent | undefined {
    const line = this.#journal.read(place).next();
    const parsed = line.done === true ? undefined : parseLine(line.value);
    return parsed?.kind === 'event' ? parsed.event : undefined;
  }

  /** The accepted events that changed a task, from the log. */
  *historyOf(id: string): Generator<Folded> {
    this.#fold();
    const begun = this.#beginning();
    for (const place of this.placesOf(id)?.at ?? []) {
      const event = this.recordAt(place);
      if (event) yield { event, outcome: { ok: true, changed: [id] } };
    }
    const board = begun ? boardAt(begun.base, begun.checkpoint.header) : emptyBoard();
    for (const folded of foldPart(this.#journal, board, { from: this.begunAt }))
      if (folded.outcome.ok && folded.outcome.changed.includes(id)) yield folded;
  }

  /**
   * The tasks that a record behind this offset changed, of the part of the log that the checkpoint covers; undefined for
   * each other one. Later records are told to `onFolded`.
   */
  *changedSince(offset: number): Generator<string | undefined> {
    const begun = this.#beginning();
    if (!begun || this.begunAt <= offset) return;
    for (let id = 1; id <= begun.checkpoint.header.lastTaskId; id += 1)
      yield (begun.base.row(String(id))?.at.at(-1) ?? 0) >= offset ? String(id) : undefined;
  }
}
