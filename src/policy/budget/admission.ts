/**
 * Whether a turn or a call may begin (docs/budgets.md): it reserves the most that it may use, so that two members can never
 * both spend the last cent. Pure; the ledger asks it under its lock.
 */
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import type { Amount, BudgetScope, Meter } from '../../model/team/budget.ts';
import { formatDuration } from '../../model/text/duration.ts';
import { thousands } from '../context-budget.ts';

/** How the reason begins for which a member waits. */
export const BUDGET_WAIT = 'waits for its budget: ';

export interface BudgetAsk {
  readonly member: string;
  readonly task?: string | undefined;
  /** Who reserves: the incarnation of the member's process. */
  readonly by: string;
  /** The most that may be used; `Infinity` where nobody knows. */
  readonly want: Amount;
  /** With less of a meter it makes no sense to begin. */
  readonly least: Amount;
  /** The model whose price nobody knows. */
  readonly unpriced?: string | undefined;
}

export type Admission =
  /** `hold` is never more than what is left, and becomes the hard limit of the turn or call. */
  | { readonly do: 'grant'; readonly hold: Amount }
  /** What others reserved may come back. */
  | { readonly do: 'wait'; readonly why: string }
  /** Only a higher limit helps. */
  | { readonly do: 'refuse'; readonly why: string };

export function admit(account: BudgetAccount, ask: BudgetAsk): Admission {
  const hold: Amount = { ...ask.want };
  let waitsFor: string | undefined;
  for (const [scope, meter, limit] of account.limitsOf(ask)) {
    const want = ask.want[meter] ?? 0;
    if (want === 0) continue;
    if (meter === 'cost' && ask.unpriced !== undefined) return { do: 'refuse', why: unpricedText(ask.unpriced, scope) };
    const spent = account.spent.get(scope)?.[meter] ?? 0;
    const others = account.reserved(scope, meter, (one) => one.by !== ask.by);
    const mine = account.reserved(scope, meter, (one) => one.by === ask.by);
    const left = limit - spent - mine - others;
    if (want <= left) continue;
    const least = ask.least[meter] ?? 0;
    if (left + others <= 0 || left + others < least)
      return { do: 'refuse', why: usedUpText({ scope, meter, limit, spent, least }) };
    if (others > 0) waitsFor ??= waitText({ scope, meter, limit, spent, others });
    else hold[meter] = Math.min(hold[meter] ?? left, left);
  }
  return waitsFor === undefined ? { do: 'grant', hold: finite(hold) } : { do: 'wait', why: waitsFor };
}

/** What nobody knows and nothing limits is not in the record. */
const finite = (hold: Amount): Amount =>
  Object.fromEntries(Object.entries(hold).filter(([, value]) => Number.isFinite(value)));

interface Shortage {
  readonly scope: BudgetScope;
  readonly meter: Meter;
  readonly limit: number;
  readonly spent: number;
}

const usedUpText = ({ scope, meter, limit, spent, least }: Shortage & { least: number }): string => {
  const needs = limit > spent && least > 0 ? `, and the next call may need ${amountText(meter, least)}` : '';
  return `${spentText(meter, spent)} of the ${amountText(meter, limit)} of ${scopeText(scope)}${needs}`;
};

const waitText = ({ scope, meter, limit, spent, others }: Shortage & { others: number }): string =>
  `others reserved ${amountText(meter, others)} of ${scopeText(scope)}; ${spentText(meter, spent)} of ${amountText(meter, limit)}`;

const unpricedText = (model: string, scope: BudgetScope): string =>
  `the price of ${model} is unknown, so the cost limit of ${scopeText(scope)} cannot hold: give its price under "prices" in the configuration, or limit tokens`;

const spentText = (meter: Meter, amount: number): string =>
  `${amountText(meter, amount)} ${amount === 1 && meter === 'turns' ? 'is' : 'are'} used`;

/** `the team`, `today`, `member ada`, `task #3`. */
export const scopeText = (scope: BudgetScope): string =>
  scope === 'team' || scope === 'day'
    ? WHOLE[scope]
    : scope.startsWith('task.')
      ? `task #${scope.slice('task.'.length)}`
      : `member ${scope.slice('member.'.length)}`;

const WHOLE = { team: 'the team', day: 'all your teams today' };

/** `$1.2000`, `1,200 tokens`, `4 turns`, `10m`. */
export function amountText(meter: Meter, amount: number): string {
  switch (meter) {
    case 'cost':
      return `$${amount.toFixed(4)}`;
    case 'tokens':
      return `${thousands(amount)} tokens`;
    case 'turns':
      return amount === 1 ? '1 turn' : `${thousands(amount)} turns`;
    case 'time':
      return formatDuration(Math.round(amount / 1_000) * 1_000);
    default:
      return meter satisfies never;
  }
}
