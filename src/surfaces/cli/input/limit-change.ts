/** Limits from the command line: `--max-cost 5`, `--max-tokens 100000`, `--budget member.ada.tokens=100000`. */
import { didYouMean, LEAD, parseLimit, UsageError, type LimitChange } from '../../../app.ts';
import { money, texts, wholeNumber } from './options.ts';

const limits = texts.superRefine((given, context) => {
  const why = given.map(parseLimit).find((read) => typeof read === 'string');
  if (why !== undefined) context.addIssue({ code: 'custom', message: why });
});

/** The options that every verb has which starts an agent. */
export const budgetFlags = { maxCost: money, maxTokens: wholeNumber, budget: limits };

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

interface Places {
  readonly members: readonly string[];
  readonly hasTask: (id: string) => boolean;
}

/** @throws UsageError `UNKNOWN_MEMBER`, `UNKNOWN_TASK` for a limit of one that there is not, which would limit nothing */
export function requirePlaces(changes: readonly LimitChange[], { members, hasTask }: Places): void {
  for (const scope of changes.flatMap((change) => Object.keys(change.limits))) {
    const [kind, name = ''] = scope.split('.');
    if (kind === 'member' && name !== LEAD && !members.includes(name))
      throw new UsageError('UNKNOWN_MEMBER', `There is no member ${name} to limit${didYouMean(name, members)}`);
    if (kind === 'task' && !hasTask(name))
      throw new UsageError('UNKNOWN_TASK', `There is no task #${name} to limit; \`teams task list\` shows them.`);
  }
}

/** The flags again, for a process that leads in the background. */
export const budgetWords = ({ maxCost, maxTokens, budget = [] }: BudgetFlags): string[] => [
  ...(maxCost === undefined ? [] : ['--max-cost', String(maxCost)]),
  ...(maxTokens === undefined ? [] : ['--max-tokens', String(maxTokens)]),
  ...budget.flatMap((limit) => ['--budget', limit]),
];
