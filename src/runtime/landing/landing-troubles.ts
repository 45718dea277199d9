/** Counts what fails in the queue of changes, tells it once, and says when a person has to act. */
import type { LandingTask } from '../../model/board/task.ts';
import { timestamp } from '../../model/text/clock.ts';
import { isTeamError, StoreError } from '../../model/text/errors.ts';
import type { LandingTrouble } from '../../model/run/run-state.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';
import { isLasting, pauseAfter } from '../../policy/landing/landing-trouble.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import { GitFailure } from '../process/git-tree.ts';
import { isWaitedFor } from '../process/retry-disk.ts';

/** Git fails on the change of one task. */
export class ChangeFailure extends GitFailure {
  readonly task: LandingTask;

  constructor(task: LandingTask, why: string) {
    super(why);
    this.task = task;
  }
}

/** @throws what is no trouble of git or of the disk */
export function requireTrouble(error: unknown): Error {
  if (error instanceof GitFailure || isTeamError(error)) return error;
  throw error;
}

interface TroubledSession {
  readonly store: TeamStore;
  tell(event: Omit<TeamEvent, 'at'> & { type: string }): void;
  /** Keeps in the run's state what nothing can land for. */
  note(facts: { landing: LandingTrouble | undefined }): Promise<void>;
}

export class LandingTroubles {
  readonly #session: TroubledSession;
  #now: (LandingTrouble & { readonly tries: number }) | undefined;
  #held: StoreError | undefined;

  constructor(session: TroubledSession) {
    this.#session = session;
  }

  /** Why nothing lands until a person acts. */
  get held(): StoreError | undefined {
    return this.#held;
  }

  /** @returns whether it failed so often in a row that it will not pass by itself */
  async met(error: Error): Promise<boolean> {
    const { store } = this.#session;
    const why = error.message;
    const { why: before, tries = 0, since = timestamp(store.clock.now()) } = this.#now ?? {};
    // Told once, not at each try; again, if it could not be told.
    if (why !== before) {
      this.#session.tell({ type: 'landing.failed', text: why });
      await this.#note({ why, since });
    }
    this.#now = { why, since, tries: tries + 1 };
    return isLasting(tries + 1, { isWaitedFor: isWaitedFor(error) });
  }

  /** How long to wait before the next try, in milliseconds. */
  get pause(): number {
    return pauseAfter(this.#now?.tries ?? 1);
  }

  /** Nothing lands any more; it is still tried, at the longest pause. */
  hold(): void {
    if (this.#held !== undefined || this.#now === undefined) return;
    const { name } = this.#session.store.paths;
    const text = `what members made is kept, but none of it can land: ${this.#now.why}. Mend that, and go on: \`teams resume ${name}\``;
    this.#held = new StoreError('LANDING_HELD', `${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
    this.#session.tell({ type: 'landing.held', text });
  }

  async passed(): Promise<void> {
    if (this.#now === undefined) return;
    this.#now = undefined;
    this.#held = undefined;
    this.#session.tell({ type: 'landing.recovered', text: 'changes land again' });
    await this.#note(undefined);
  }

  /** Only for people: that it cannot be written is one more trouble of the same kind. */
  async #note(landing: LandingTrouble | undefined): Promise<void> {
    await this.#session.note({ landing }).catch(() => undefined);
  }
}
