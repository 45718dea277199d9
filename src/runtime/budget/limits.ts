/** Sets limits on the ledger of a team, and shows what is limited, spent and reserved. */
import {
  isScope,
  METERS,
  type Amount,
  type BudgetScope,
  type LedgerEntry,
  type BudgetLimits,
} from '../../model/team/budget.ts';
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import { defined } from '../../model/text/defined.ts';
import { UsageError } from '../../model/text/errors.ts';
import type { Prices, Spending } from '../../model/team/spending-sum.ts';
import { amountText, scopeText } from '../../policy/budget/admission.ts';
import { SpendingBy } from '../../policy/view/spending-by.ts';
import { realDisk } from '../../store/files/disk.ts';
import { replicaOf } from '../../store/replica/replica-root.ts';
import type { SpendingAsked } from '../../store/replica/relay-request.ts';
import { DayLedger } from '../../store/team/day-ledger.ts';
import { SharedDay } from '../../store/team/shared-day.ts';
import { openSeal } from '../../store/user/seal.ts';
import { realClock } from '../../os/system-clock.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** How limits are given. `default`: only where there is none yet. `configured`: if the configuration has changed. */
export interface LimitChange {
  readonly how: 'default' | 'configured' | 'set' | 'add';
  readonly limits: BudgetLimits;
}

/**
 * Changes limits; members that wait for their budget try again. When the first limit is set, what was used before counts.
 *
 * @param prices by model; they override the known prices
 * @throws UsageError `USAGE` when something is added to a limit that is not there
 */
export async function setLimits(
  {
    ledger,
    day,
    sharedDay,
    events,
  }: {
    readonly ledger: Pick<TeamStore['ledger'], 'change'>;
    readonly day: Pick<TeamStore['day'], 'look' | 'change'>;
    readonly sharedDay?: Pick<SharedDay, 'look' | 'change'> | undefined;
    readonly events: Pick<TeamStore['events'], 'read'>;
  },
  changes: readonly LimitChange[],
  prices: Prices = {},
): Promise<void> {
  const ofDay = changes.filter(({ limits }) => limits.day !== undefined);
  await setDayLimits(day, ofDay);
  if (sharedDay) await setSharedDayLimits(sharedDay, ofDay);
  if (changes.every(({ limits }) => scopesIn(limits).every((scope) => scope === 'day'))) return;
  await ledger.change((account) => {
    const next = new Map(account.limits);
    for (const { how, limits } of changes)
      for (const scope of scopesIn(limits))
        if (scope !== 'day') next.set(scope, changed(scope, next.get(scope), limits[scope] ?? {}, how));
    const isFirst = account.limits.size === 0;
    const spent = isFirst ? spentBefore(events, prices) : new Map<BudgetScope, Amount>();
    const scopes = new Set([...next.keys(), ...spent.keys()]);
    const entries = [...scopes].flatMap((scope): LedgerEntry[] => {
      const limit = next.get(scope) ?? {};
      const before = spent.get(scope);
      if (before === undefined && isSame(limit, account.limits.get(scope))) return [];
      return [{ do: 'limit', scope, limit, spent: before }];
    });
    return { entries, result: undefined };
  });
}

/**
 * Changes what the user may use in a day. What the configuration says holds until a person says otherwise, and again when
 * the configuration changes.
 *
 * @throws UsageError `USAGE` when something is added to a limit that is not there
 */
export async function setDayLimits(
  day: Pick<TeamStore['day'], 'look' | 'change'>,
  changes: readonly LimitChange[],
): Promise<void> {
  const isEmpty = changes.every(({ limits }) => !scopesIn(limits).includes('day'));
  if (changes.length === 0 || (isEmpty && day.look() === undefined)) return;
  await day.change((account) => {
    const before = account.limits.get('day');
    let [limit, configured] = [before, account.configured.get('day')];
    for (const { how, limits } of changes) {
      const given = defined(limits.day ?? {});
      if (how !== 'configured') limit = changed('day', limit, given, how);
      else if (!isSame(given, configured)) [limit, configured] = [given, given];
    }
    const isKnown = isSame(limit, before) && isSame(configured, account.configured.get('day'));
    return {
      entries: isKnown ? [] : [{ do: 'limit', scope: 'day', limit: limit ?? {}, configured }],
      result: undefined,
    };
  });
}

/**
 * As {@link setDayLimits}, for the machines of a store. A machine whose configuration limits no day does not lift what
 * another one's says.
 */
const setSharedDayLimits = (day: Pick<SharedDay, 'look' | 'change'>, changes: readonly LimitChange[]): Promise<void> =>
  setDayLimits(
    day,
    changes.filter(({ how, limits }) => how !== 'configured' || scopesIn(limits).includes('day')),
  );

/**
 * The ledger of this user's day: that of this machine, or over the machines of the store if `root` is a replica. Close it.
 */
export function openDayLedger(root: string): DayLedger | SharedDay {
  const [disk, clock] = [realDisk, realClock];
  if (replicaOf(disk, root) === undefined) return new DayLedger({ disk, clock });
  const commit = async (asked: SpendingAsked): Promise<boolean> => {
    const { RelayClient } = await import('../../store/replica/relay-client.ts');
    using relay = new RelayClient({ disk, root, seal: openSeal(disk), clock });
    return await relay.commitSpending(asked);
  };
  return new SharedDay({ disk, clock, root, commit });
}

/**
 * A person says that a member's process on another machine is lost: what it had reserved of the day counts as used.
 *
 * @param who `team/member`
 * @throws UsageError `USAGE` if it has reserved nothing
 */
export async function settleLost(day: Pick<DayLedger, 'change'>, who: string): Promise<void> {
  const settled = await day.change(({ all }) => {
    const entries = all
      .filter(({ of }) => of === who)
      .map(({ id, hold }): LedgerEntry => ({ do: 'settle', id, used: hold, untold: ['cost', 'tokens'] }));
    return { entries, result: entries.length };
  });
  if (settled === 0)
    throw new UsageError(
      'USAGE',
      `${JSON.stringify(who)} has reserved nothing of the day: --settle is TEAM/MEMBER, of a member that has.`,
    );
}

/** A limit that is not there. */
const none: Amount = {};

/** The scopes in which something is limited. */
const scopesIn = (limits: BudgetLimits): BudgetScope[] =>
  Object.keys(limits)
    .filter(isScope)
    .filter((scope) => Object.keys(defined(limits[scope] ?? {})).length > 0);

const isSame = (one: Amount = none, other: Amount = none): boolean =>
  METERS.every((meter) => one[meter] === other[meter]);

function changed(scope: BudgetScope, before: Amount = none, given: Amount, how: LimitChange['how']): Amount {
  if (how === 'default') return Object.keys(defined(before)).length === 0 ? defined(given) : before;
  if (how === 'set' || how === 'configured') return { ...before, ...defined(given) };
  const next: Amount = { ...before };
  for (const meter of METERS) {
    const more = given[meter];
    if (more === undefined) continue;
    const old = before[meter];
    if (old === undefined)
      throw new UsageError('USAGE', `The ${meter} of ${scopeText(scope)} is not limited; set it with --set instead.`);
    next[meter] = old + more;
  }
  return next;
}

/** What the events tell, by scope. */
function spentBefore(events: Pick<TeamStore['events'], 'read'>, prices: Prices): Map<BudgetScope, Amount> {
  const by = new SpendingBy(prices);
  for (const { event } of events.read(0)) by.add(event);
  const amount = ({ usd, tokens }: Spending): Amount => ({ cost: usd, tokens });
  const found = new Map<BudgetScope, Amount>();
  if (by.total.tokens > 0 || by.total.usd > 0) found.set('team', amount(by.total));
  for (const [name, spending] of by.members) found.set(`member.${name}`, amount(spending));
  for (const [task, spending] of by.tasks) found.set(`task.${task}`, amount(spending));
  return found;
}

/** One limit, for people and `--json`. */
interface BudgetLine {
  readonly scope: BudgetScope;
  readonly meter: string;
  readonly limit: number;
  readonly spent: number;
  readonly reserved: number;
  readonly left: number;
  readonly text: string;
}

export function budgetLines(account: BudgetAccount): BudgetLine[] {
  return [...account.limits].flatMap(([scope, limits]) =>
    METERS.flatMap((meter): BudgetLine[] => {
      const limit = limits[meter];
      if (limit === undefined) return [];
      const spent = account.spent.get(scope)?.[meter] ?? 0;
      const reserved = account.reserved(scope, meter);
      const left = Math.max(0, limit - spent - reserved);
      const said = (amount: number): string => amountText(meter, amount);
      const text = `${scopeText(scope)}: ${said(spent)} of ${said(limit)} spent, ${said(reserved)} reserved, ${said(left)} left`;
      return [{ scope, meter, limit, spent, reserved, left, text }];
    }),
  );
}

/** Who waits, and for what. */
export const budgetWaits = (account: BudgetAccount): { readonly member: string; readonly why: string }[] =>
  [...account.waiting.values()].map(({ member, of = member, why }) => ({ member: of, why }));
