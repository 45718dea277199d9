/** Spending in total, by member and by task: tokens, and dollars if a price is known. */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { NOTHING_SPENT, spentAfter, type Prices, type Spending } from '../../model/team/spending-sum.ts';
import type { TeamEvent } from '../../model/team/team-config.ts';

export class SpendingBy {
  #total = NOTHING_SPENT;
  readonly members = new Map<string, Spending>();
  readonly tasks = new Map<string, Spending>();
  readonly #prices: Prices;

  /** @param prices by model; they override the known prices */
  constructor(prices: Prices = {}) {
    this.#prices = prices;
  }

  get total(): Spending {
    return this.#total;
  }

  add(event: ShownEvent | TeamEvent): void {
    if (event.type !== 'agent.spent' || typeof event.task === 'object') return;
    const { member, task } = event;
    this.#total = spentAfter(this.#total, event, this.#prices);
    this.#count(this.members, member, event);
    this.#count(this.tasks, task, event);
  }

  #count(sums: Map<string, Spending>, key: string | undefined, event: Parameters<typeof spentAfter>[1]): void {
    if (key !== undefined) sums.set(key, spentAfter(sums.get(key) ?? NOTHING_SPENT, event, this.#prices));
  }
}
