/**
 * The lead's look at the ledger: it settles what processes reserved that are gone, warns before a limit is reached, and
 * says when nothing can go on without a higher one.
 */
import type { Meter } from '../../model/team/budget.ts';
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import type { Name } from '../../model/text/names.ts';
import { deadReservations, lowText, refusedForGood } from '../../policy/budget/overview.ts';
import type { Sighting } from '../../policy/sighting.ts';
import type { Ledger } from '../../store/team/ledger.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** So long nothing must be reserved before a run ends: a member that is free claims within a second. */
const SETTLED_MS = 2_000;

/** Nothing is limited in the team itself. */
const NOBODY: Pick<BudgetAccount, 'waiting' | 'all'> = { waiting: new Map(), all: [] };

type Store = Pick<TeamStore, 'ledger' | 'day' | 'sharedDay' | 'events' | 'clock' | 'paths'>;

export class BudgetWatch {
  readonly #store: Store;
  readonly #warned = new Set<string>();
  #held: { readonly mark: string; readonly since: number } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Whether a member waits for its budget: that is no silence of its agent. */
  isWaiting({ name, incarnation }: { readonly name: Name; readonly incarnation: string | null }): boolean {
    const { ledger, day, sharedDay } = this.#store;
    const isOnDay = [day, sharedDay].some((one) => one?.look()?.waiting.has(incarnation ?? ''));
    return isOnDay || ledger.look()?.waiting.has(name) === true;
  }

  /**
   * @returns why the run must end now; undefined if it may go on
   * @throws StoreError `CORRUPT` when the ledger is damaged
   */
  async look(sighting: Sighting): Promise<string | undefined> {
    const { ledger, day, sharedDay, clock } = this.#store;
    const account = ledger.look();
    const days = [day, sharedDay].flatMap((one) => one?.look() ?? []);
    if (account === undefined && days.length === 0) return undefined;
    await this.#settleDead(ledger, (now) => deadReservations(sighting, now.all));
    if (sharedDay) await this.#settleDead(sharedDay, (now) => this.#deadOnDay(sighting, now));
    for (const one of [...(account ? [account] : []), ...days]) this.#warn(one);
    const today = { waiting: new Map(days.flatMap((one) => [...one.waiting])), all: days.flatMap(({ all }) => all) };
    const why = refusedForGood(sighting.board, account ?? NOBODY, today);
    if (why === undefined) {
      this.#held = undefined;
      return undefined;
    }
    const now = clock.monotonic();
    const mark = `${ledger.offset} ${day.mark} ${sharedDay?.mark}`;
    if (this.#held?.mark !== mark) this.#held = { mark, since: now };
    return now - this.#held.since >= SETTLED_MS ? `The budget is used up: ${why}.` : undefined;
  }

  /** What members of this team reserved on the day of the store that are gone, also those of other machines. */
  #deadOnDay(sighting: Sighting, account: BudgetAccount): BudgetAccount['all'] {
    const team = `${this.#store.paths.name}/`;
    const ours = account.all.flatMap((one) =>
      one.of?.startsWith(team) === true ? { ...one, member: one.of.slice(team.length) } : [],
    );
    return deadReservations(sighting, ours);
  }

  async #settleDead(
    ledger: Pick<Ledger, 'look' | 'change'>,
    deadIn: (account: BudgetAccount) => BudgetAccount['all'],
  ): Promise<void> {
    const known = ledger.look();
    if (known === undefined || deadIn(known).length === 0) return;
    const settled = await ledger.change((now) => {
      const dead = deadIn(now);
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
