/** What a verb was given, parsed once: the options through a schema, whole numbers and durations as such. */
import * as z from 'zod';
import { check, parseDuration, UsageError } from '../../../app.ts';
import type { VerbInput } from '../verb.ts';

/** An option that is there or not. */
export const flag = z.boolean().default(false);

/** A text that may be left out. */
export const text = z.string().optional();

/** May be given several times. */
export const texts = z.array(z.string()).default([]);

/** `30s`, `10m`; in milliseconds. */
export const duration = z
  .string()
  .transform((given, context) => {
    const ms = parseDuration(given);
    if (ms !== undefined) return ms;
    context.addIssue({
      code: 'custom',
      message: `Expected a duration such as 30s, 10m or 1h, got ${JSON.stringify(given)}.`,
    });
    return z.NEVER;
  })
  .optional();

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
 * @param schema of the verb's own options, in camel case; the common flags are the frame's
 * @throws UsageError `USAGE` naming the option
 */
export function readOptions<T>(schema: z.ZodType<T>, { options }: VerbInput): T {
  const checked = check(schema, options);
  if (checked.ok) return checked.value;
  const { path, text: why } = checked.problems[0] ?? { path: [], text: 'An option is not valid.' };
  const name = String(path[0] ?? '').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError('USAGE', name === '' ? why : `--${name}: ${why}`);
}

/** @throws UsageError `USAGE` when there are words that the verb has no use for */
export function noMore(words: readonly string[]): void {
  const [first] = words;
  if (first !== undefined)
    throw new UsageError('USAGE', `There is no use for ${JSON.stringify(first)} here; see \`--help\`.`);
}
