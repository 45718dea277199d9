/**
 * The lead's look at the ledger: it settles what processes reserved that are gone, warns before a limit is reached, and
 * says when nothing can go on without a higher one.
 */
import type { Meter } from '../../model/team/budget.ts';
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import type { Name } from '../../model/text/names.ts';
import { deadReservations, lowText, refusedForGood } from '../../policy/budget/overview.ts';
import type { Sighting } from '../../policy/sighting.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** So long nothing must be reserved before a run ends: a member that is free claims within a second. */
const SETTLED_MS = 2_000;

/** Nothing is limited in the team itself. */
const NOBODY: Pick<BudgetAccount, 'waiting' | 'all'> = { waiting: new Map(), all: [] };

export class BudgetWatch {
  readonly #store: Pick<TeamStore, 'ledger' | 'day' | 'events' | 'clock'>;
  readonly #warned = new Set<string>();
  #held: { readonly mark: string; readonly since: number } | undefined;

  constructor(store: Pick<TeamStore, 'ledger' | 'day' | 'events' | 'clock'>) {
    this.#store = store;
  }

  /** Whether a member waits for its budget: that is no silence of its agent. */
  isWaiting({ name, incarnation }: { readonly name: Name; readonly incarnation: string | null }): boolean {
    const { ledger, day } = this.#store;
    return ledger.look()?.waiting.has(name) === true || day.look()?.waiting.has(incarnation ?? '') === true;
  }

  /**
   * @returns why the run must end now; undefined if it may go on
   * @throws StoreError `CORRUPT` when the ledger is damaged
   */
  async look(sighting: Sighting): Promise<string | undefined> {
    const { ledger, day, clock } = this.#store;
    const [account, today] = [ledger.look(), day.look()];
    if (account === undefined && today === undefined) return undefined;
    if (account !== undefined) await this.#settleDead(sighting, account);
    for (const one of [account, today]) if (one !== undefined) this.#warn(one);
    const why = refusedForGood(sighting.board, account ?? NOBODY, today);
    if (why === undefined) {
      this.#held = undefined;
      return undefined;
    }
    const now = clock.monotonic();
    const mark = `${ledger.offset} ${day.mark}`;
    if (this.#held?.mark !== mark) this.#held = { mark, since: now };
    return now - this.#held.since >= SETTLED_MS ? `The budget is used up: ${why}.` : undefined;
  }

  async #settleDead(sighting: Sighting, account: BudgetAccount): Promise<void> {
    if (deadReservations(sighting, account).length === 0) return;
    const settled = await this.#store.ledger.change((now) => {
      const dead = deadReservations(sighting, now);
      const entries = dead.map(({ id, hold }) => {
        const { cost = 0, tokens = 0, ...rest } = hold;
        const untold: Meter[] = ['cost', 'tokens'];
        return { do: 'settle' as const, id, used: { ...rest, cost, tokens }, untold };
      });
      return { entries, result: dead };
    });
    for (const { member, task } of settled)
      this.#store.events.append({
        type: 'budget.settled',
        member,
        task,
        text: 'Its process is gone and did not tell what it used: what it had reserved counts.',
      });
  }

  #warn(account: BudgetAccount): void {
    for (const [key, text] of lowText(account)) {
      if (this.#warned.has(key)) continue;
      this.#warned.add(key);
      this.#store.events.append({ type: 'budget.low', text });
    }
  }
}
