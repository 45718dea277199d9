/** Sums what a team has used from its events as they come, and compares it with the limits of the run. */
import { NOTHING_SPENT, spentAfter, type Prices } from '../../model/team/spending-sum.ts';
import { overspent, type SpendingLimits } from '../../policy/supervise/spending-limits.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

export interface SpendingRules extends SpendingLimits {
  readonly prices?: Prices;
}

export class SpendingWatch {
  readonly #store: Pick<TeamStore, 'events'>;
  readonly #rules: SpendingRules;
  #sum = NOTHING_SPENT;
  #next = 0;

  constructor(store: Pick<TeamStore, 'events'>, rules: SpendingRules) {
    this.#store = store;
    this.#rules = rules;
  }

  /** @returns why the run must end now; undefined if it may go on. What an earlier lead used counts, too */
  look(): string | undefined {
    const { maxCost, maxTokens, prices = {} } = this.#rules;
    if (maxCost === undefined && maxTokens === undefined) return undefined;
    const events = this.#store.events.read(this.#next);
    for (let next = events.next(); ; next = events.next()) {
      if (next.done) {
        this.#next = next.value;
        return overspent(this.#sum, this.#rules);
      }
      this.#sum = spentAfter(this.#sum, next.value.event, prices);
    }
  }
}
