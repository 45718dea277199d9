/** What a member may begin: a ready task that is for it, and not what its agent has just failed at by its own fault. */
import { nextClaim, type Board } from '../../model/board/board.ts';
import type { Task } from '../../model/board/task.ts';
import { RETRY_AFTER_FAULT_MS } from '../../policy/backoff.ts';
import type { MemberSession } from '../team/member-session.ts';

export class Claims {
  readonly #session: MemberSession;
  readonly #mostFailures: number;
  readonly #paused = new Map<string, number>();
  #failuresInARow = 0;

  /** @param mostFailures after so many failed attempts in a row nothing new is claimed */
  constructor(session: MemberSession, mostFailures = Number.POSITIVE_INFINITY) {
    this.#session = session;
    this.#mostFailures = mostFailures;
  }

  /** A ready task that this member may have now. */
  ready(): Task | undefined {
    return this.#isSpent() ? undefined : this.#next(this.#session.store.board.fold(), this.#passed());
  }

  /** Claims a task of {@link ready}, or the next after it that is to be had. */
  claim(wanted: Task): void {
    const passed = this.#passed();
    for (let task: Task | undefined = wanted; task; task = this.#next(this.#session.store.board.board, passed)) {
      const { outcome } = this.#session.write({ type: 'task.claimed', task: task.id, member: this.#session.name });
      if ((outcome.ok && this.#session.task() !== undefined) || !this.#session.isCurrent()) return;
      passed.add(task.id);
    }
  }

  /** The agent was at fault: this task may be another's for a while. */
  pause(task: string, ms = RETRY_AFTER_FAULT_MS): void {
    this.#paused.set(task, this.#session.store.clock.monotonic() + ms);
  }

  /** An attempt has ended. */
  ended(isCompleted: boolean): void {
    this.#failuresInARow = isCompleted ? 0 : this.#failuresInARow + 1;
  }

  /** There is work that it left alone for a while, and will come back to. */
  get isPausing(): boolean {
    const { tasks } = this.#session.store.board.board;
    return [...this.#passed()].some((id) => tasks.get(id)?.status === 'pending');
  }

  #isSpent(): boolean {
    return this.#failuresInARow >= this.#mostFailures;
  }

  #passed(): Set<string> {
    const now = this.#session.store.clock.monotonic();
    return new Set([...this.#paused].filter(([, until]) => until > now).map(([id]) => id));
  }

  #next(board: Board, passed: ReadonlySet<string>): Task | undefined {
    return nextClaim(board, this.#session.name, passed);
  }
}
