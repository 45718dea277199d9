/** What a ledger says, of a team or of a user's day: its limits, what is spent and reserved, and who waits. */
import { METERS, type Amount, type BudgetScope, type LedgerEntry, type Meter } from './budget.ts';

type Reservation = Extract<LedgerEntry, { do: 'reserve' }>;
type Refusal = Extract<LedgerEntry, { do: 'refuse' }>;

/** How many turns of an agent are remembered, for the estimate of the next. */
const REMEMBERED = 32;

const total = (one: Amount, other: Amount): Amount =>
  Object.fromEntries(METERS.map((meter) => [meter, (one[meter] ?? 0) + (other[meter] ?? 0)]));

export class BudgetAccount {
  readonly limits = new Map<BudgetScope, Amount>();
  readonly spent = new Map<BudgetScope, Amount>();
  /** What was used and never told: there the reservation counts. */
  readonly untold = new Map<Meter, number>();
  readonly open = new Map<string, Reservation>();
  /** By member. */
  readonly waiting = new Map<string, Refusal>();
  /** What the last turns used, by agent. */
  readonly turns = new Map<string, Amount[]>();
  /** The limits as the configuration said them last. */
  readonly configured = new Map<BudgetScope, Amount>();
  readonly #scopesOf: (who: Counted) => readonly BudgetScope[];

  /** @param scopesIn the scopes in which something counts; those of a team by default */
  constructor(scopesIn: (who: Counted) => readonly BudgetScope[] = scopesOf) {
    this.#scopesOf = scopesIn;
  }

  /** The open reservations. */
  get all(): readonly Reservation[] {
    return [...this.open.values()];
  }

  add(entry: LedgerEntry): void {
    switch (entry.do) {
      case 'limit':
        this.limits.set(entry.scope, entry.limit);
        if (entry.configured !== undefined) this.configured.set(entry.scope, entry.configured);
        // Whoever waited tries again.
        this.waiting.clear();
        if (entry.spent !== undefined) this.#spend(entry.scope, entry.spent);
        return;
      case 'reserve':
        this.open.set(entry.id, entry);
        this.waiting.delete(entry.member);
        return;
      case 'settle':
        return this.#settle(entry);
      case 'refuse':
        this.waiting.set(entry.member, entry);
        return;
      case 'withdraw':
        this.waiting.delete(entry.member);
        return;
      default:
        entry satisfies never;
    }
  }

  /** The limit of each meter that holds for a member at a task, by scope. */
  *limitsOf(one: Counted): Generator<[BudgetScope, Meter, number]> {
    for (const scope of this.#scopesOf(one)) {
      const limit = this.limits.get(scope);
      for (const meter of METERS) if (limit?.[meter] !== undefined) yield [scope, meter, limit[meter]];
    }
  }

  /** The sum of the open reservations that count. */
  reserved(scope: BudgetScope, meter: Meter, counts: (one: Reservation) => boolean = () => true): number {
    let sum = 0;
    for (const one of this.open.values())
      if (counts(one) && this.#scopesOf(one).includes(scope)) sum += one.hold[meter] ?? 0;
    return sum;
  }

  #settle({ id, used, untold = [] }: Extract<LedgerEntry, { do: 'settle' }>): void {
    const reservation = this.open.get(id);
    // Settled already: by the lead, when its process was gone.
    if (reservation === undefined) return;
    this.open.delete(id);
    for (const scope of this.#scopesOf(reservation)) this.#spend(scope, used);
    for (const meter of untold) this.untold.set(meter, (this.untold.get(meter) ?? 0) + 1);
    if (untold.length > 0) return;
    const before = this.turns.get(reservation.agent) ?? [];
    this.turns.set(reservation.agent, [...before.slice(1 - REMEMBERED), used]);
  }

  #spend(scope: BudgetScope, amount: Amount): void {
    this.spent.set(scope, total(this.spent.get(scope) ?? {}, amount));
  }
}

/** Who uses something, and for what. */
interface Counted {
  readonly member: string;
  readonly task?: string | undefined;
}

/** The account of a user's day: all teams count in one scope. */
export const dayAccount = (): BudgetAccount => new BudgetAccount(() => ['day']);

const scopesOf = ({ member, task }: Counted): BudgetScope[] => [
  'team',
  `member.${member}`,
  ...(task === undefined ? [] : [`task.${task}` as const]),
];
