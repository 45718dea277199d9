/**
 * BudgetLimits of what agents may use, and the records of the ledger that keeps them (docs/budgets.md). Four things are
 * counted: US dollars, tokens in and out, turns, and milliseconds of turns.
 */
import * as z from 'zod';
import { processIdentitySchema } from '../agent/process-identity.ts';
import { check, closed } from '../text/document-problem.ts';
import { durationSchema } from '../text/duration.ts';

export const METERS = ['cost', 'tokens', 'turns', 'time'] as const;
export type Meter = (typeof METERS)[number];

const dollars = z.number().min(0).max(1e9);
const whole = z.number().int().min(0).max(1e15);

/** As people write it: `{cost: 5, tokens: 200000, turns: 40, time: 2h}`. */
export const budgetSchema = closed({
  cost: dollars.optional(),
  tokens: whole.optional(),
  turns: whole.optional(),
  time: durationSchema.optional(),
});

const amountSchema = z.object({
  cost: dollars.optional(),
  tokens: whole.optional(),
  turns: whole.optional(),
  time: z.number().min(0).max(1e15).optional(),
});
/** What is limited, reserved or spent. Of a limit, a meter that is absent is not limited. */
export type Amount = z.infer<typeof amountSchema>;

/** `team`, `member.ada`, `task.3`, or `day`: all teams of a user on one day. */
const scopeSchema = z.string().regex(/^(?:day|team|member\.[a-z0-9_-]+|task\.[0-9]+)$/);
export type BudgetScope = 'day' | 'team' | `member.${string}` | `task.${string}`;

/** BudgetLimits by scope. */
export type BudgetLimits = Readonly<Partial<Record<BudgetScope, Amount>>>;

export const isScope = (text: string): text is BudgetScope => scopeSchema.safeParse(text).success;
const scope = scopeSchema.transform((text, context): BudgetScope => {
  if (isScope(text)) return text;
  context.addIssue({ code: 'custom', message: 'Expected team, member.NAME, task.ID or day.' });
  return z.NEVER;
});

const id = z.string().min(1).max(64);
const who = { member: z.string().min(1).max(64), task: z.string().min(1).max(32).optional() };

/** On the ledger of a day: who reserves, for people, and its process, by which others see that it is gone. */
const elsewhere = {
  of: z.string().max(300).optional(),
  process: processIdentitySchema.optional(),
};

/** A line of a ledger, without its number, time and chain. */
export const ledgerEntrySchema = z.discriminatedUnion('do', [
  /**
   * A limit is set. `spent`: what was used in this scope before anything was limited. `configured`: what the
   * configuration says, so that a later limit of a person stands until the configuration changes.
   */
  z.object({
    do: z.literal('limit'),
    scope,
    limit: amountSchema,
    spent: amountSchema.optional(),
    configured: amountSchema.optional(),
  }),
  /** A turn or a call may use up to `hold`. Of a meter that is absent nothing is limited. */
  z.object({
    do: z.literal('reserve'),
    id,
    ...who,
    by: id,
    agent: z.string().max(300),
    hold: amountSchema,
    ...elsewhere,
  }),
  /**
   * The end of a reservation: what was used. `untold`: its agent did not say, or said what cannot be true; then the
   * reservation counts.
   */
  z.object({ do: z.literal('settle'), id, used: amountSchema, untold: z.array(z.enum(METERS)).optional() }),
  /** A reservation was refused; `waits`: it is tried again when another is settled. */
  z.object({
    do: z.literal('refuse'),
    ...who,
    by: id,
    why: z.string().max(1_000),
    waits: z.boolean(),
    of: z.string().max(300).optional(),
  }),
  /** It waits no more: its turn was ended. */
  z.object({ do: z.literal('withdraw'), ...who, by: id }),
]);
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

/**
 * Reads `cost=5`, `member.ada.tokens=100000`, `task.3.time=10m` or `day.cost=20`.
 *
 * @returns a sentence if it is none of these
 */
export function parseLimit(text: string): readonly [BudgetScope, Amount] | string {
  const [, place = '', meter = '', value = ''] = /^(?:(.+)\.)?([a-z]+)=(.+)$/.exec(text) ?? [];
  const at = place === '' ? 'team' : place;
  if (!isMeter(meter) || !isScope(at))
    return `Expected a limit such as cost=5, member.ada.tokens=100000, task.3.time=10m or day.cost=20, got ${JSON.stringify(text)}.`;
  const number = meter === 'cost' ? value.replace(/^\$/, '') : value;
  const given = meter === 'time' ? number : /^-?[0-9.]+$/.test(number) ? Number(number) : number;
  const checked = check(budgetSchema, { [meter]: given });
  return checked.ok ? [at, checked.value] : (checked.problems[0]?.text ?? `${JSON.stringify(text)} is no limit.`);
}

const isMeter = (text: string): text is Meter => METERS.some((meter) => meter === text);
