/**
 * The ledgers on which a member reserves: that of its team, and that of the user's day over all teams. Both are asked
 * at one moment, locked user first, then team; what one refuses is reserved on neither. In a store there is also that of
 * the user's day over its machines.
 */
import type { Amount, LedgerEntry } from '../../model/team/budget.ts';
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import { ownIdentity } from '../../os/process-table.ts';
import { admit, type Admission, type BudgetAsk } from '../../policy/budget/admission.ts';
import type { SharedDay } from '../../store/team/shared-day.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** Who spends: a member, or the lead. */
export interface Spender {
  readonly store: {
    readonly ledger: Pick<TeamStore['ledger'], 'look' | 'change' | 'tryChange' | 'offset' | 'isShared'>;
    /** That of the user's day. */
    readonly day: Pick<TeamStore['day'], 'look' | 'change' | 'mark'>;
    /** The same over the machines of a store. */
    readonly sharedDay?: Pick<SharedDay, 'look' | 'change' | 'mark'> | undefined;
    readonly paths?: Pick<TeamStore['paths'], 'name' | 'folder'> | undefined;
    readonly events: Pick<TeamStore['events'], 'append'>;
    readonly clock: TeamStore['clock'];
  };
  readonly member: string;
  /** The incarnation of its process. */
  readonly by: string;
  readonly onError: (error: unknown) => void;
  /** Called when it begins to wait, and without a text when it goes on. */
  readonly onWait?: (why: string | undefined) => void;
}

/** What a turn or a call may use at most, by what the account says of earlier ones. */
export type Wanted = (account: BudgetAccount) => Pick<BudgetAsk, 'want' | 'least' | 'unpriced'>;

interface ReservationAsk {
  readonly id: string;
  readonly task: string | undefined;
  readonly agent: string;
  readonly wanted: Wanted;
  /** Nobody waits: a refusal is not written. */
  readonly isUrgent: boolean;
}

/** Milliseconds after which the team's lock is tried again. */
const TRY_AGAIN_MS = 2;

export class SpenderLedgers {
  readonly #spender: Pick<Spender, 'store' | 'member' | 'by'>;

  constructor(spender: Pick<Spender, 'store' | 'member' | 'by'>) {
    this.#spender = spender;
  }

  /** Changes with each record of either. */
  get mark(): string {
    const { ledger, day, sharedDay } = this.#spender.store;
    return `${ledger.offset} ${day.mark} ${sharedDay?.mark}`;
  }

  /** @throws StoreError `CORRUPT` if one of them is damaged */
  isLimited(): boolean {
    const { ledger, day, sharedDay } = this.#spender.store;
    return [ledger, day, sharedDay].some((one) => one?.look() !== undefined);
  }

  /** Reserves on each ledger that limits something. */
  async ask(ask: ReservationAsk): Promise<Admission> {
    for (;;) {
      const { day, ledger, sharedDay } = this.#spender.store;
      const isOfDay = day.look() !== undefined;
      if (sharedDay?.look() !== undefined || (isOfDay && ledger.isShared && ledger.look() !== undefined))
        return this.#askApart(ask);
      if (!isOfDay)
        return ledger.change((team) => {
          const admission = admitBy(team, this.#who(ask), ask.wanted(team));
          return { entries: this.#noted(ask, team, admission), result: admission };
        });
      const admission = await day.change((account) => this.#askBoth(ask, account));
      if (admission !== undefined) return admission;
      await this.#spender.store.clock.sleep(TRY_AGAIN_MS);
    }
  }

  /**
   * A ledger of several machines cannot be held while another one is asked: the day's on this machine is asked first and
   * reserved on last. What one of them does not grant is given back on those before it.
   */
  async #askApart(ask: ReservationAsk): Promise<Admission> {
    const { day, ledger, sharedDay } = this.#spender.store;
    const limited = [sharedDay, ledger, day].flatMap((one) => (one?.look() === undefined ? [] : one));
    const reserve = (one: (typeof limited)[number], most: Amount, isDry: boolean): Promise<Admission> =>
      one.change((account) => {
        const wants = ask.wanted(account);
        const who = one === ledger ? this.#who(ask) : this.#ofDay;
        const admission = admitBy(account, who, { ...wants, want: { ...wants.want, ...most } });
        const noted = one === ledger ? this.#noted(ask, account, admission) : this.#notedOnDay(ask, account, admission);
        return { entries: isDry && admission.do === 'grant' ? [] : noted, result: admission };
      });
    let hold: Amount = {};
    const stages = limited.includes(day) ? [day, ...limited] : limited;
    for (const [at, one] of stages.entries()) {
      const isDry = one === day && at === 0 && stages.length > 1;
      const admission = await reserve(one, hold, isDry);
      if (admission.do === 'grant') {
        hold = { ...hold, ...admission.hold };
        continue;
      }
      const before = new Set(stages.slice(0, at));
      for (const other of limited) if (other !== one) await this.#giveBack(ask, other, before.has(other));
      return admission;
    }
    return { do: 'grant', hold };
  }

  /** What another ledger refuses is written on that one only. */
  async #giveBack(
    { id, task }: ReservationAsk,
    one: Pick<TeamStore['ledger'], 'change'>,
    isReserved: boolean,
  ): Promise<void> {
    const { by, store } = this.#spender;
    const member = one === store.ledger ? this.#spender.member : by;
    await one.change(({ open, waiting }) => {
      const entries: LedgerEntry[] = [];
      if (isReserved && open.has(id)) entries.push({ do: 'settle', id, used: {} });
      if (waiting.get(member)?.by === by) entries.push({ do: 'withdraw', member, by, task });
      return { entries, result: undefined };
    });
  }

  /** Appends records to each ledger that limits something. */
  async write(entries: readonly LedgerEntry[]): Promise<void> {
    const { day, ledger, sharedDay } = this.#spender.store;
    const { by } = this.#spender;
    const own = entries.map((entry): LedgerEntry => (entry.do === 'withdraw' ? { ...entry, member: by } : entry));
    for (const one of [day, sharedDay])
      if (one?.look() !== undefined) await one.change(() => ({ entries: own, result: undefined }));
    if (ledger.look() !== undefined) await ledger.change(() => ({ entries, result: undefined }));
  }

  /** @returns no result if another process holds the team's lock */
  #askBoth(
    ask: ReservationAsk,
    account: BudgetAccount,
  ): { readonly entries: readonly LedgerEntry[]; readonly result: Admission | undefined } {
    const { ledger } = this.#spender.store;
    const team = ledger.look();
    const known = team?.turns.has(ask.agent) === true ? team : account;
    const wants = ask.wanted(known);
    const today = admitBy(account, this.#ofDay, wants);
    if (today.do !== 'grant' || team === undefined)
      return { entries: this.#notedOnDay(ask, account, today), result: today };
    const both = ledger.tryChange((now) => {
      const want: Amount = { ...wants.want, ...today.hold };
      const admission = admitBy(now, this.#who(ask), { ...wants, want });
      return { entries: this.#noted(ask, now, admission), result: admission };
    });
    if (both === undefined) return { entries: [], result: undefined };
    const { by } = this.#spender;
    // What the team refuses is written on its ledger only.
    const waitsNoMore: LedgerEntry[] = account.waiting.has(by) ? [{ do: 'withdraw', member: by, by }] : [];
    const entries = both.result.do === 'grant' ? this.#notedOnDay(ask, account, both.result) : waitsNoMore;
    return { entries, result: both.result };
  }

  #who({ task }: ReservationAsk): Pick<BudgetAsk, 'member' | 'by' | 'task'> {
    const { member, by } = this.#spender;
    return { member, by, task };
  }

  /** Names of members repeat from team to team; the incarnations of their processes do not. */
  get #ofDay(): Pick<BudgetAsk, 'member' | 'by'> {
    const { by } = this.#spender;
    return { member: by, by };
  }

  #noted(ask: ReservationAsk, account: BudgetAccount, admission: Admission): LedgerEntry[] {
    return entriesOf(ask, account, { admission, who: this.#who(ask) });
  }

  #notedOnDay(ask: ReservationAsk, account: BudgetAccount, admission: Admission): LedgerEntry[] {
    const { store, member } = this.#spender;
    const of = store.paths === undefined ? member : `${store.paths.name}/${member}`;
    const process = ownIdentity();
    return entriesOf(ask, account, { admission, who: this.#ofDay }).map((entry) => {
      if (entry.do === 'reserve') return { ...entry, of, process };
      return entry.do === 'refuse' ? { ...entry, of } : entry;
    });
  }
}

const admitBy = (
  account: BudgetAccount,
  who: Pick<BudgetAsk, 'member' | 'by' | 'task'>,
  wants: ReturnType<Wanted>,
): Admission => (account.limits.size === 0 ? { do: 'grant', hold: {} } : admit(account, { ...who, ...wants }));

function entriesOf(
  { id, agent, isUrgent }: ReservationAsk,
  account: BudgetAccount,
  { admission, who }: { readonly admission: Admission; readonly who: Pick<BudgetAsk, 'member' | 'by' | 'task'> },
): LedgerEntry[] {
  if (admission.do === 'grant') return [{ do: 'reserve', id, ...who, agent, hold: admission.hold }];
  const waits = admission.do === 'wait';
  const known = account.waiting.get(who.member);
  // The amounts in the reason change with every call of another member.
  if (isUrgent || (known?.by === who.by && known.waits === waits)) return [];
  return [{ do: 'refuse', ...who, why: admission.why.slice(0, 1_000), waits }];
}
