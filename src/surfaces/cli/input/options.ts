/** Parses the options of a verb once, through a schema; whole numbers, durations and amounts become numbers. */
import * as z from 'zod';
import {
  check,
  isHostWord,
  isPublicKey,
  keysIn,
  noPublicKey,
  noDuration,
  parseDuration,
  UsageError,
} from '../../../app.ts';
import type { CliContext } from '../context.ts';
import type { VerbInput } from '../verb.ts';

/** An option without a value. */
export const flag = z.boolean().default(false);

/** An optional text. */
export const text = z.string().optional();

/** An option that may be repeated. */
export const texts = z.array(z.string()).default([]);

/** Labels of hosts, each option with one or with a list: `gpu,arm64`. */
export const hostLabels = texts.transform((lists, context) => {
  const labels = lists.flatMap((list) => list.split(',')).map((label) => label.trim());
  for (const label of labels)
    if (!isHostWord(label))
      context.addIssue({
        code: 'custom',
        message: `Expected letters, digits, dots and dashes, got ${JSON.stringify(label)}.`,
      });
  return labels;
});

/** Public keys, for `--trust`. */
export const publicKeys = texts.superRefine((keys, context) => {
  const wrong = keys.find((key) => !isPublicKey(key));
  if (wrong !== undefined) context.addIssue({ code: 'custom', message: noPublicKey(wrong) });
});

/** Makes what these keys sign count as the user's, in this process and those that it starts. */
export function trustKeys(context: CliContext, keys: readonly string[]): void {
  if (keys.length > 0) context.trust = [...keys, ...keysIn(context.io.environment)];
}

/** A duration such as `30s` or `10m`, in milliseconds. */
export const duration = z
  .string()
  .transform((given, context) => {
    const ms = parseDuration(given);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: noDuration(given) });
    return z.NEVER;
  })
  .optional();

/** After which time without a word of the store members end, in milliseconds: not before their leases lapse. */
export const cutOffAfter = duration.refine((ms) => ms === undefined || ms >= 10_000, 'Expected at least 10s.');

export const wholeNumber = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'Expected a whole number.')
  .transform(Number)
  .optional();

/** US dollars, such as 2 or 0.50. */
export const money = z
  .string()
  .regex(/^\$?[0-9]{1,9}(?:\.[0-9]{1,6})?$/, 'Expected an amount of US dollars such as 2 or 0.50.')
  .transform((given) => Number(given.replace('$', '')))
  .optional();

/**
 * @param schema the verb's own options in camel case; the common flags are parsed elsewhere
 * @throws UsageError `USAGE` naming the option
 */
export function readOptions<T>(schema: z.ZodType<T>, { options }: VerbInput): T {
  const checked = check(schema, options);
  if (checked.ok) return checked.value;
  const { path, text: why } = checked.problems[0] ?? { path: [], text: 'An option is not valid.' };
  const name = String(path[0] ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError('USAGE', name === '' ? why : `--${name}: ${why}`);
}

/** @throws UsageError `USAGE` when words remain that the verb does not use */
export function noMore(words: readonly string[]): void {
  const [first] = words;
  if (first !== undefined)
    throw new UsageError(
      'USAGE',
      `Unexpected argument ${JSON.stringify(first)}; leave it out, or put a text of several words in quotes.`,
    );
}
