/**
 * The budget of agents that work without a team: `relay`, a planner, `refine --no-team`. The same reservations on a
 * ledger in memory, which ends with its process. What the account of an earlier ledger says can be carried over.
 */
import { BudgetAccount } from '../../model/team/budget-account.ts';
import { METERS, type Amount, type BudgetScope, type LedgerEntry } from '../../model/team/budget.ts';
import type { Clock } from '../../model/text/clock.ts';
import { LEAD } from '../../model/text/names.ts';
import type { Prices } from '../../model/team/spending-sum.ts';
import type { PriceRules } from '../../policy/budget/estimate.ts';
import { newId } from '../../store/files/new-ids.ts';
import type { EventLog } from '../../store/board/events.ts';
import type { Decide, Ledger } from '../../store/team/ledger.ts';
import { DayLedger } from '../../store/team/day-ledger.ts';
import { realDisk } from '../../store/files/disk.ts';
import { setLimits, type LimitChange } from './limits.ts';
import type { Spender } from './spender-ledgers.ts';

/** What the options of a session say about budgets. */
export interface OwnBudget {
  readonly budget?: readonly LimitChange[] | undefined;
  readonly prices?: Prices | undefined;
  readonly agents?: { readonly allowUnpriced?: boolean | undefined } | undefined;
  readonly store: { readonly clock: Clock };
}

class OwnLedger implements Pick<Ledger, 'look' | 'change' | 'tryChange' | 'offset' | 'isShared'> {
  readonly isShared = false;
  readonly #account = new BudgetAccount();
  #entries = 0;

  get offset(): number {
    return this.#entries;
  }

  look(): BudgetAccount | undefined {
    return this.#account.limits.size === 0 ? undefined : this.#account;
  }

  tryChange<Result>(decide: Decide<Result>): { readonly result: Result } {
    const { entries, result } = decide(this.#account);
    for (const entry of entries) this.#account.add(entry);
    this.#entries += entries.length;
    return { result };
  }

  change<Result>(decide: Decide<Result>): Promise<Result> {
    return Promise.resolve(this.tryChange(decide).result);
  }
}

/** Nothing was used before. */
const NO_EVENTS: Pick<EventLog, 'read'> = {
  *read() {
    yield* [];
    return 0;
  },
};

/** What was spent, and what is reserved: the process that reserved it can no longer tell what it used. */
const usedIn = (account: BudgetAccount, scope: BudgetScope): Amount =>
  Object.fromEntries(
    METERS.map((meter) => [meter, (account.spent.get(scope)?.[meter] ?? 0) + account.reserved(scope, meter)]),
  );

/**
 * A spender with limits of its own; only what counts for the user's day is written to a disk.
 *
 * @param before an account whose limits and spending count; the limits of `own` are not added to it
 * @throws UsageError `USAGE` when something is added to a limit that is not there
 */
export async function ownSpender(own: OwnBudget, before?: BudgetAccount): Promise<Spender & PriceRules> {
  const { budget = [], prices, agents, store } = own;
  const ledger = new OwnLedger();
  const day = new DayLedger({ disk: realDisk, clock: store.clock });
  if (before === undefined) await setLimits({ ledger, day, events: NO_EVENTS }, budget, prices);
  else {
    const entries = [...new Set([...before.limits.keys(), ...before.spent.keys()])].map((scope): LedgerEntry => ({
      do: 'limit',
      scope,
      limit: before.limits.get(scope) ?? {},
      spent: usedIn(before, scope),
    }));
    await ledger.change(() => ({ entries, result: undefined }));
  }
  return {
    store: { ledger, day, events: { append: () => undefined }, clock: store.clock },
    member: LEAD,
    by: newId(store.clock.now()),
    onError: () => {},
    prices,
    allowUnpriced: agents?.allowUnpriced,
  };
}
