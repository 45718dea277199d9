/** Spending in total, by member and by task: tokens, and dollars if a price is known. */
import type { ShownEvent } from '../../model/team/shown-event.ts';
import { NOTHING_SPENT, spentAfter, type Prices, type Spending } from '../../model/team/spending-sum.ts';
import type { TeamEvent } from '../../model/team/team-event.ts';

interface PaidWork {
  /** The kind of the agent. */
  readonly agent: string;
  readonly model: string | undefined;
  readonly turns: number;
  /** Each turn told what it used. */
  readonly isTold: boolean;
}

export class SpendingBy {
  #total = NOTHING_SPENT;
  readonly members = new Map<string, Spending>();
  readonly tasks = new Map<string, Spending>();
  /** The agent that a task was last paid for, and in how many turns. */
  readonly work = new Map<string, PaidWork>();
  readonly #turns = new Set<string>();
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
    if (task !== undefined) this.#work(task, event);
  }

  #work(task: string, event: Readonly<Record<string, unknown>>): void {
    const { kind, model, turn, unknown } = event;
    const key = `${task} ${typeof turn === 'string' ? turn : ''}`;
    const before = this.work.get(task);
    this.work.set(task, {
      agent: typeof kind === 'string' ? kind : 'unknown',
      model: typeof model === 'string' ? model : undefined,
      turns: (before?.turns ?? 0) + (this.#turns.has(key) ? 0 : 1),
      isTold: before?.isTold !== false && unknown !== true,
    });
    this.#turns.add(key);
  }

  #count(sums: Map<string, Spending>, key: string | undefined, event: Parameters<typeof spentAfter>[1]): void {
    if (key !== undefined) sums.set(key, spentAfter(sums.get(key) ?? NOTHING_SPENT, event, this.#prices));
  }
}
