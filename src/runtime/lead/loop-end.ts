/**
 * What ends a lead's loop: a person's request, a limit that is reached, a failure that nothing may follow, work that
 * cannot go on, or a board that is done. A lead that serves a team ends only at a person's request.
 */
import type { Board } from '../../model/board/board.ts';
import { missedTasks } from '../../model/board/listed-tasks.ts';
import type { Task } from '../../model/board/task.ts';
import { StoreError, type TeamError } from '../../model/text/errors.ts';
import type { Sighting, Verdict } from '../../policy/sighting.ts';
import type { TeamStore } from '../../store/team/team-store.ts';
import type { BudgetWatch } from '../budget/budget-watch.ts';
import type { LeadEnding, LeadOptions } from './lead-options.ts';
import { WorkPlaceWatch } from './watches/work-place-watch.ts';

interface LoopEndEnvironment {
  readonly store: TeamStore;
  readonly options: Pick<LeadOptions, 'endsWhenDone' | 'failFast'>;
  readonly budget: BudgetWatch;
  /** The request to close that a person sent by mail. */
  readonly closing: () => { readonly force: boolean; readonly now: boolean } | undefined;
  /** Why the run cannot go on until a person acts; asked while nobody works on a task. */
  readonly cannotGoOn: () => TeamError | undefined;
}

export class LoopEnd {
  readonly #environment: LoopEndEnvironment;
  readonly #place: WorkPlaceWatch;

  constructor(environment: LoopEndEnvironment) {
    this.#environment = environment;
    this.#place = new WorkPlaceWatch(environment.store);
  }

  /** @returns what ends the loop before its policies are asked */
  async before(sighting: Sighting): Promise<LeadEnding | undefined> {
    const { options, budget, closing, cannotGoOn } = this.#environment;
    const { board } = sighting;
    const request = closing();
    if (request !== undefined) return { why: 'closing', ...request };
    if (board.phase !== 'open' && board.phase !== 'paused') return { why: 'closing', force: false, now: false };
    // These two tell of what they find, also where it ends nothing.
    const over = await budget.look(sighting);
    if (over !== undefined && options.endsWhenDone) return { why: 'spent', what: over };
    const failed = options.failFast === true ? firstFailure(board) : undefined;
    if (failed) return { why: 'stuck', what: `task #${failed.id} failed, and --fail-fast is set` };
    const lost = board.busy.size === 0 ? (this.#place.look() ?? cannotGoOn()) : undefined;
    return lost !== undefined && options.endsWhenDone ? { why: 'refused', error: lost } : undefined;
  }

  /** @returns how the loop ends instead of the act that the verdict asks for */
  insteadOf(verdict: Verdict, sighting: Sighting): LeadEnding | undefined {
    if (!this.#environment.options.endsWhenDone) return undefined;
    if (verdict.do === 'finish') return { why: 'finished' };
    if (verdict.do === 'stuck') return this.#stuck(sighting, verdict.why);
    if (verdict.do !== 'restart' && verdict.do !== 'start') return undefined;
    // A member's process would refuse to start, again and again.
    const error = this.#foreignConfig();
    return error === undefined ? undefined : { why: 'refused', error };
  }

  #stuck({ untrusted }: Sighting, what: string): LeadEnding {
    const error =
      (untrusted.size === 0 ? undefined : this.#environment.store.untrustedCommands()) ?? this.#foreignConfig();
    return error === undefined ? { why: 'stuck', what } : { why: 'refused', error };
  }

  /** The error for a config.json that was exchanged while the team works. */
  #foreignConfig(): StoreError | undefined {
    try {
      this.#environment.store.requireTrusted();
      return undefined;
    } catch (error) {
      if (error instanceof StoreError && error.code === 'UNTRUSTED') return error;
      throw error;
    }
  }
}

const firstFailure = (board: Board): Task | undefined => {
  for (const task of missedTasks(board)) if (task.status === 'failed' && task.required) return task;
  return undefined;
};
