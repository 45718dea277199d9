/**
 * What a checkpoint answers while its pages are believed; once a page was doubted, the answers of that part of the log,
 * folded anew.
 */
import type { Board } from '../../../model/board/board.ts';
import type { BoardPast } from '../../../model/past/board-past.ts';
import type { Request } from '../../../model/board/request.ts';
import { listOf } from '../../../model/board/task-lists.ts';
import type { Voucher } from '../../../model/board/vouched-commands.ts';
import { Doubt } from '../../files/checked-pages.ts';
import type { Base, BaseRow, PagedBase } from './checkpoint-base.ts';
import { storedPast, type StoredPast } from './checkpoint-format.ts';
import type { NoiseRun } from '../noise.ts';
import type { Trail } from '../trail.ts';

/** The board at the checkpoint's offset with its past, and where in the log the records of each task are. */
export interface Refolded {
  readonly board: Board;
  readonly past: BoardPast;
  readonly noise: readonly NoiseRun[];
  readonly trail: Trail;
}

/** Answers from a board that was folded anew. */
class RefoldedBase implements Base {
  readonly #board: Board;
  readonly #past: BoardPast;
  readonly #noise: Refolded['noise'];
  readonly #trail: Refolded['trail'];

  constructor({ board, past, noise, trail }: Refolded) {
    this.#board = board;
    this.#past = past;
    this.#noise = noise;
    this.#trail = trail;
  }

  row(id: string): BaseRow | undefined {
    const { tasks, waiting, unresolved } = this.#board;
    const task = tasks.get(id);
    const rest = { waiting: [...(waiting.get(id) ?? [])], unresolved: unresolved.get(id) ?? 0 };
    return task && { task, ...rest, ...this.#trail.of(id), given: this.#past.given.get(id) ?? [] };
  }

  mark(text: string): string | undefined {
    return this.#board.unique.get(text);
  }

  marks(): Iterable<string> {
    return this.#board.unique.keys();
  }

  *withSubject(subject: string): Generator<string> {
    for (const task of this.#board.tasks.values()) if (task.subject === subject) yield task.id;
  }

  has(event: string): boolean {
    return this.#board.seen.has(event);
  }

  requests(): ReadonlyMap<string, Request> {
    return this.#board.requests;
  }

  vouchers(): ReadonlyMap<string, Voucher> {
    return this.#board.vouchers;
  }

  list(name: string): Uint8Array {
    return listOf(this.#board.lists, name).bytes();
  }

  past(): StoredPast {
    return storedPast(this.#past, this.#noise);
  }
}

/** Answers from pages while they are believed, and from the log folded anew from the first doubt on. */
export class CheckedBase implements Base {
  readonly #refold: () => Refolded;
  #base: Base;
  #isDoubted = false;

  /** @param refold folds the part of the log that the checkpoint covers */
  constructor(pages: PagedBase, refold: () => Refolded) {
    this.#base = pages;
    this.#refold = refold;
  }

  get isDoubted(): boolean {
    return this.#isDoubted;
  }

  row(id: string): BaseRow | undefined {
    return this.#ask((base) => base.row(id));
  }

  mark(text: string): string | undefined {
    return this.#ask((base) => base.mark(text));
  }

  marks(): Iterable<string> {
    return this.#ask((base) => [...base.marks()]);
  }

  withSubject(subject: string): Iterable<string> {
    return this.#ask((base) => base.withSubject(subject));
  }

  has(event: string): boolean {
    return this.#ask((base) => base.has(event));
  }

  requests(): ReadonlyMap<string, Request> {
    return this.#ask((base) => base.requests());
  }

  vouchers(): ReadonlyMap<string, Voucher> {
    return this.#ask((base) => base.vouchers());
  }

  list(name: string): Uint8Array {
    return this.#ask((base) => base.list(name));
  }

  past(): StoredPast {
    return this.#ask((base) => base.past());
  }

  #ask<T>(question: (base: Base) => T): T {
    if (!this.#isDoubted)
      try {
        return question(this.#base);
      } catch (error) {
        if (!(error instanceof Doubt)) throw error;
        this.#base = new RefoldedBase(this.#refold());
        this.#isDoubted = true;
      }
    return question(this.#base);
  }
}
