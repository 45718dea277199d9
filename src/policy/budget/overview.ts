/** What a ledger means for a run: who can never be settled by its process, which limit is near, who can go on. */
import { isDone, type Board } from '../../model/board/board.ts';
import { METERS } from '../../model/team/budget.ts';
import type { BudgetAccount } from '../../model/team/budget-account.ts';
import { LEAD } from '../../model/text/names.ts';
import type { Sighting } from '../sighting.ts';
import { amountText, scopeText } from './admission.ts';

/** From this share of a limit on the person is warned. */
const LOW = 0.8;

/** Reservations whose process is gone: it will never tell what it used. */
export function deadReservations({ board, members }: Sighting, reserved: BudgetAccount['all']): BudgetAccount['all'] {
  return reserved.filter(({ member, by }) => {
    if (member === LEAD) return by !== board.lead.incarnation;
    const joined = [...board.members.values()].find(({ name }) => name === member);
    const seen = members.find(({ name }) => name === member);
    return joined?.incarnation !== by || seen === undefined || seen.process === 'dead' || seen.process === 'none';
  });
}

/** A sentence for each limit of which little is left, by limit. */
export function* lowText(account: BudgetAccount): Generator<[string, string]> {
  for (const [scope, limit] of account.limits)
    for (const meter of METERS) {
      const most = limit[meter];
      const spent = account.spent.get(scope)?.[meter] ?? 0;
      if (most === undefined || spent < most * LOW) continue;
      const text = `${amountText(meter, spent)} of the ${amountText(meter, most)} of ${scopeText(scope)} are used.`;
      yield [`${scope} ${meter} ${most}`, text];
    }
}

/** What a ledger says of who holds and who waits. */
type Spent = Pick<BudgetAccount, 'waiting' | 'all'>;

/**
 * @param day what the ledger of the user's day says
 * @returns why nobody can go on without a higher limit; undefined as long as somebody works, or what somebody reserved may
 * come back
 */
export function refusedForGood(board: Board, account: Spent, day?: Spent): string | undefined {
  const current = new Map([...board.members.values()].map(({ name, incarnation }) => [String(name), incarnation]));
  const processes = new Set(current.values());
  // A process that is gone waits for nothing. Who waits in another team goes on only when somebody gives back.
  const refusals = [
    ...[...account.waiting.values()].filter(({ member, by }) => current.get(member) === by),
    ...[...(day?.waiting.values() ?? [])].filter(({ by }) => processes.has(by)),
  ];
  const others = [...(day?.waiting.values() ?? [])].filter(({ by }) => !processes.has(by));
  const isHeld = ({ by }: { readonly by: string }): boolean => [...refusals, ...others].some((one) => one.by === by);
  // Who waits for what another holds that can never go on can never go on either.
  const first = refusals.find(({ waits }) => !waits);
  if (first === undefined || isDone(board)) return undefined;
  if ([...account.all, ...(day?.all ?? [])].some((one) => !isHeld(one))) return undefined;
  return [...board.busy.keys()].every((member) => isHeld({ by: current.get(member) ?? '' })) ? first.why : undefined;
}
