/** Limits from the command line: `--max-cost 5`, `--max-tokens 100000`, `--budget member.ada.tokens=100000`. */
import { parseLimit, UsageError, type LimitChange } from '../../../app.ts';
import { money, texts, wholeNumber } from './options.ts';

/** The options that every verb has which starts an agent. */
export const budgetFlags = { maxCost: money, maxTokens: wholeNumber, budget: texts };

export interface BudgetFlags {
  readonly maxCost?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Limits such as `member.ada.cost=2`. */
  readonly budget?: readonly string[] | undefined;
}

/**
 * Session options with the limits of the flags, after those of the configuration.
 *
 * @throws UsageError `USAGE` naming the limit
 */
export const withLimits = <T extends { readonly budget?: readonly LimitChange[] }>(
  session: T,
  flags: BudgetFlags,
): T => ({
  ...session,
  budget: [...(session.budget ?? []), ...limitsOf(flags)],
});

/** @throws UsageError `USAGE` naming the limit */
function limitsOf({ maxCost, maxTokens, budget = [] }: BudgetFlags): LimitChange[] {
  const team = { cost: maxCost, tokens: maxTokens };
  return [{ how: 'set', limits: { team } }, ...budget.map((given) => limitChange('set', given))];
}

/** The same for one member: what names no other scope is the member's. */
export function memberLimits(name: string, { maxCost, maxTokens, budget = [] }: BudgetFlags): LimitChange[] {
  const own = { cost: maxCost, tokens: maxTokens };
  const scoped = budget.map((given) => (/^[a-z]+\./.test(given) ? given : `member.${name}.${given}`));
  return [{ how: 'set', limits: { [`member.${name}`]: own } }, ...scoped.map((given) => limitChange('set', given))];
}

/** @throws UsageError `USAGE` naming what is wrong */
export function limitChange(how: LimitChange['how'], given: string): LimitChange {
  const read = parseLimit(given);
  if (typeof read === 'string') throw new UsageError('USAGE', read);
  const [scope, amount] = read;
  return { how, limits: { [scope]: amount } };
}

/** The flags again, for a process that leads in the background. */
export const budgetWords = ({ maxCost, maxTokens, budget = [] }: BudgetFlags): string[] => [
  ...(maxCost === undefined ? [] : ['--max-cost', String(maxCost)]),
  ...(maxTokens === undefined ? [] : ['--max-tokens', String(maxTokens)]),
  ...budget.flatMap((limit) => ['--budget', limit]),
];
