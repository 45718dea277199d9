/** What a member may claim: ready tasks for it, without those at which its agent has just failed by its own fault. */
import { refused, type Board } from '../../model/board/board.ts';
import { nextClaim } from '../../model/board/listed-tasks.ts';
import type { Task } from '../../model/board/task.ts';
import { isMembersFailure } from '../../model/board/member-failure.ts';
import { RETRY_AFTER_FAULT_MS } from '../../policy/backoff.ts';
import type { MemberSession } from '../team/member-session.ts';

export class Claims {
  readonly #session: MemberSession;
  readonly #mostFailures: number;
  readonly #paused = new Map<string, number>();
  /** Tasks of which it was said that their command is not trusted here. */
  readonly #told = new Set<string>();
  #failuresInARow = 0;

  /** @param mostFailures after this many failed tasks in a row it claims nothing new */
  constructor(session: MemberSession, mostFailures = Number.POSITIVE_INFINITY) {
    this.#session = session;
    this.#mostFailures = mostFailures;
  }

  /**
   * A ready task that this member may claim now.
   *
   * @param board folded just now
   */
  ready(board: Board): Task | undefined {
    return this.#isSpent() ? undefined : this.#next(board, this.#passed());
  }

  /**
   * Claims a task. It is chosen on the board that the record is built on: another member may have claimed the one of
   * {@link ready} meanwhile. If another member was faster still, it claims the next one that is free.
   */
  async claim(): Promise<void> {
    const passed = this.#passed();
    for (;;) {
      let chosen: string | undefined;
      const { outcome } = await this.#session.write((board) => {
        const task = this.#next(board, passed);
        chosen = task?.id;
        return task === undefined
          ? refused('UNKNOWN_TASK', 'no task is free')
          : { type: 'task.claimed', task: task.id, member: this.#session.name };
      });
      if (chosen === undefined) return;
      // The record was judged at the end of the log, as it is folded now.
      const { board } = this.#session.store.board;
      if ((outcome.ok && this.#session.task(board) !== undefined) || !this.#session.isCurrent(board)) return;
      passed.add(chosen);
    }
  }

  /** Does not claim this task for `ms`, because the agent was at fault; another member may take it meanwhile. */
  pause(task: string, ms = RETRY_AFTER_FAULT_MS): void {
    this.#paused.set(task, this.#session.store.clock.monotonic() + ms);
  }

  /** Counts the task of an attempt that has ended. */
  ended({ id, claims }: Task, isCompleted: boolean): void {
    if (isCompleted) this.#failuresInARow = 0;
    else if (isMembersFailure(this.#session.store.board.board, { task: id, epoch: claims })) this.#failuresInARow += 1;
  }

  /** Whether it has paused a pending task that it will claim later. */
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

  /** A task whose command nobody vouched for waits for its user. */
  #next(board: Board, passed: ReadonlySet<string>): Task | undefined {
    const except = new Set(passed);
    for (;;) {
      const task = nextClaim(board, this.#session.name, except);
      if (task === undefined || this.#isTrusted(task)) return task;
      except.add(task.id);
    }
  }

  /** The lead says what nobody vouched for; on a machine with other keys it may trust what this one does not. */
  #isTrusted(task: Task): boolean {
    const { store, name } = this.#session;
    if (store.commands.isTrusted(task.id)) return true;
    if (!store.isShared || this.#told.has(task.id)) return false;
    this.#told.add(task.id);
    store.events.append({
      type: 'task.untrusted',
      member: name,
      task: task.id,
      text: store.untrustedTask(task).message,
    });
    return false;
  }
}
