/** What a member may work on: its own unfinished task before a ready one; not what its agent has just failed at by its own fault. */
import { nextClaim, type Board } from '../model/board.ts';
import type { Claimed, Self } from './self.ts';

/** A task whose agent was at fault is not tried again by this member before this many milliseconds. */
const PAUSE_MS = 5_000;

export class Claims {
  readonly #self: Self;
  readonly #mostFailures: number;
  readonly #paused = new Map<string, number>();
  #failuresInARow = 0;

  /** @param mostFailures after so many failed attempts in a row nothing new is claimed */
  constructor(self: Self, mostFailures = Number.POSITIVE_INFINITY) {
    this.#self = self;
    this.#mostFailures = mostFailures;
  }

  /** The unfinished task, or a ready one, claimed; undefined when there is none. */
  take(): Claimed | undefined {
    const { board } = this.#self.store;
    const own = this.#self.task();
    if (own || this.#isSpent()) return own;
    const passed = this.#passed();
    for (let task = this.#next(board.board, passed); task; task = this.#next(board.board, passed)) {
      const { outcome } = this.#self.write({ type: 'task.claimed', task: task.id, member: this.#self.name });
      const mine = outcome.ok ? this.#self.task() : undefined;
      if (mine || !this.#self.isCurrent()) return mine;
      passed.add(task.id);
    }
    return undefined;
  }

  /** Whether {@link take} would find something. */
  isAny(): boolean {
    return (
      this.#self.task() !== undefined ||
      (!this.#isSpent() && this.#next(this.#self.store.board.board, this.#passed()) !== undefined)
    );
  }

  /** The agent was at fault: this task may be another's for a while. */
  pause(task: string, ms = PAUSE_MS): void {
    this.#paused.set(task, this.#self.store.clock.monotonic() + ms);
  }

  /** An attempt has ended. */
  ended(isCompleted: boolean): void {
    this.#failuresInARow = isCompleted ? 0 : this.#failuresInARow + 1;
  }

  #isSpent(): boolean {
    return this.#failuresInARow >= this.#mostFailures;
  }

  #passed(): Set<string> {
    const now = this.#self.store.clock.monotonic();
    return new Set([...this.#paused].filter(([, until]) => until > now).map(([id]) => id));
  }

  #next(board: Board, passed: ReadonlySet<string>) {
    return nextClaim(board, this.#self.name, passed);
  }
}
