/** A member without work: what it tells its lead meanwhile, and when it has waited long enough. */
import { openBlockers } from '../../model/board/board.ts';
import { LEAD } from '../../model/text/names.ts';
import { waitOf } from '../../model/board/request.ts';
import { whileIdle, type IdleDeed } from '../../policy/supervise/next-step.ts';
import { idling, standingBy, stillBlocked } from '../../policy/mail-wording.ts';
import type { Self } from '../team/member-session.ts';

export interface IdlenessEnvironment {
  /** Leaves after so many milliseconds without work; never, without it. */
  readonly timeoutMs: number | undefined;
  readonly leave: () => void;
  readonly hasCompleted: () => boolean;
}

export class Idleness {
  readonly #self: Self;
  readonly #environment: IdlenessEnvironment;
  readonly #toldBlocked = new Set<string>();
  #since: number;
  #hasNews = false;

  constructor(self: Self, environment: IdlenessEnvironment) {
    this.#self = self;
    this.#environment = environment;
    this.#since = self.store.clock.monotonic();
  }

  /** The agent has done something: idleness begins anew, and with it what the lead is told. */
  worked(): void {
    this.#hasNews = true;
    this.#since = this.#self.store.clock.monotonic();
  }

  /** Called now and then while there is nothing to do. */
  async look(): Promise<void> {
    const { store, name } = this.#self;
    const idleFor = store.clock.monotonic() - this.#since;
    const waitsForAnswer = waitOf(store.board.board, name) !== undefined;
    const { timeoutMs } = this.#environment;
    for (const deed of whileIdle({ idleFor, hasNews: this.#hasNews, waitsForAnswer, timeoutMs })) await this.#do(deed);
  }

  async #do(deed: IdleDeed): Promise<void> {
    switch (deed) {
      case 'tell idle':
        this.#hasNews = false;
        await this.#self.tell(this.#environment.hasCompleted() ? standingBy() : idling(), { kind: 'idle' });
        return;
      case 'tell blocked':
        return this.#tellBlocked();
      case 'leave':
        this.#environment.leave();
    }
  }

  /** An own task that stays blocked is told to the lead once, also by another life of this member. */
  async #tellBlocked(): Promise<void> {
    const board = this.#self.store.board.fold();
    for (const task of board.tasks.values()) {
      const { name } = this.#self;
      if (task.owner !== name || task.status !== 'pending' || this.#toldBlocked.has(task.id)) continue;
      const blockers = openBlockers(board, task);
      if (blockers.length === 0) continue;
      this.#toldBlocked.add(task.id);
      const id = `blocked:${task.id}.${name}:${LEAD}`;
      await this.#self.tell(stillBlocked(task.id, blockers), { kind: 'alert', task_id: task.id, id });
    }
  }
}
