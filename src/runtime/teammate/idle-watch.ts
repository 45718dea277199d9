/** A member without work: what it reports to its lead, and when it has waited long enough to exit. */
import { openBlockers } from '../../model/board/board.ts';
import { RunningTime } from '../../os/work-timer.ts';
import { LEAD } from '../../model/text/names.ts';
import { waitOf } from '../../model/board/request.ts';
import { whileIdle, type IdleAction } from '../../policy/supervise/next-step.ts';
import { idling, standingBy, stillBlocked } from '../../policy/mail-wording.ts';
import type { MemberSession } from '../team/member-session.ts';

interface IdleWatchEnvironment {
  /** Milliseconds without work after which it exits; undefined: it never does. */
  readonly timeoutMs: number | undefined;
  readonly exit: () => void;
  readonly hasCompleted: () => boolean;
}

export class IdleWatch {
  readonly #session: MemberSession;
  readonly #environment: IdleWatchEnvironment;
  readonly #reportedBlocked = new Set<string>();
  readonly #idle: RunningTime;
  #hasNews = false;

  constructor(session: MemberSession, environment: IdleWatchEnvironment) {
    this.#session = session;
    this.#environment = environment;
    this.#idle = new RunningTime(() => session.store.clock.monotonic());
  }

  /** The agent has worked: the idle time and the reports about it start again. */
  worked(): void {
    this.#hasNews = true;
    this.#idle.start();
  }

  /** Called repeatedly while there is nothing to do, each time just after the board was folded. */
  async look(): Promise<void> {
    const { store, name } = this.#session;
    const idleFor = this.#idle.look();
    // What is paused is not idle.
    if (store.board.board.phase === 'paused') {
      this.#idle.start();
      return;
    }
    const waitsForAnswer = waitOf(store.board.board, name) !== undefined;
    const { timeoutMs } = this.#environment;
    for (const action of whileIdle({ idleFor, hasNews: this.#hasNews, waitsForAnswer, timeoutMs }))
      await this.#do(action);
  }

  async #do(action: IdleAction): Promise<void> {
    switch (action) {
      case 'tell idle':
        this.#hasNews = false;
        await this.#session.tellLead(this.#environment.hasCompleted() ? standingBy() : idling(), { kind: 'idle' });
        return;
      case 'tell blocked':
        return this.#reportBlocked();
      case 'leave':
        this.#environment.exit();
    }
  }

  /**
   * Reports each own task that stays blocked to the lead once. A later process of this member uses the same mail id, so
   * that it is read once.
   */
  async #reportBlocked(): Promise<void> {
    const { board } = this.#session.store.board;
    for (const task of board.tasks.values()) {
      const { name } = this.#session;
      if (task.owner !== name || task.status !== 'pending' || this.#reportedBlocked.has(task.id)) continue;
      const blockers = openBlockers(board, task);
      if (blockers.length === 0) continue;
      this.#reportedBlocked.add(task.id);
      const id = `blocked:${task.id}.${name}:${LEAD}`;
      await this.#session.tellLead(stillBlocked(task.id, blockers), { kind: 'alert', task_id: task.id, id });
    }
  }
}
