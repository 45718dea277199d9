/**
 * Options that are read without a schema, for the frequent verbs: to make a schema takes a short process longer than to
 * read its options (docs/decisions/166). A value that a field does not accept goes to the schema, which
 * judges it and says what is wrong.
 */
import * as z from 'zod';
import type { VerbInput } from '../verb.ts';
import { flag, readOptions, text, texts, wholeNumber } from './options.ts';

/** How one option is read. */
export interface OptionField<T> {
  /** The value of an option that is not given. */
  readonly absent: T;
  /** @returns undefined for a value that the schema must judge */
  readonly plain: (given: unknown) => T | undefined;
  /** A function, so that it is made when it is needed. */
  readonly schema: () => z.ZodType<T>;
}

type AnyFields = Readonly<Record<string, OptionField<unknown>>>;

/** What a verb with these fields reads. */
export type OptionsOf<F extends AnyFields> = {
  readonly [K in keyof F]: F[K] extends OptionField<infer T> ? T : never;
};

const isText = (given: unknown): given is string => typeof given === 'string';

/** An option without a value. */
export const flagField: OptionField<boolean> = {
  absent: false,
  plain: (given) => (typeof given === 'boolean' ? given : undefined),
  schema: () => flag,
};

/** An option without a value that counts as given: `--no-…` takes it away. */
export const unlessField: OptionField<boolean> = {
  ...flagField,
  absent: true,
  schema: () => z.boolean().default(true),
};

export const textField: OptionField<string | undefined> = {
  absent: undefined,
  plain: (given) => (isText(given) ? given : undefined),
  schema: () => text,
};

/** An option that may be repeated. */
export const textsField: OptionField<readonly string[]> = {
  absent: [],
  plain: (given) => (Array.isArray(given) && given.every(isText) ? given : undefined),
  schema: () => texts,
};

export const wholeNumberField: OptionField<number | undefined> = {
  absent: undefined,
  plain: (given) => (isText(given) && /^[0-9]{1,9}$/.test(given) ? Number(given) : undefined),
  schema: () => wholeNumber,
};

/** One of these words. */
export const wordField = <const T extends string>(words: readonly T[]): OptionField<T | undefined> => ({
  absent: undefined,
  plain: (given) => words.find((word) => word === given),
  schema: () => z.enum(words).optional(),
});

/** An option that only a schema reads. */
export const bySchemaField = <T>(schema: () => z.ZodType<T | undefined>): OptionField<T | undefined> => ({
  absent: undefined,
  plain: () => undefined,
  schema,
});

/**
 * @param fields the verb's own options in camel case
 * @throws UsageError `USAGE` naming the option
 */
export function readFields<F extends AnyFields>(fields: F, given: VerbInput): OptionsOf<F>;
export function readFields(fields: AnyFields, given: VerbInput): object {
  return plainOptions(fields, given) ?? readOptions(schemaOf(fields), given);
}

/** @returns the schema of the fields, which says what is wrong */
export const schemaOf = (fields: AnyFields): z.ZodType<object> =>
  z.object(Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema()])));

/** @returns undefined if a schema must judge one of the options */
export function plainOptions(fields: AnyFields, { options }: VerbInput): object | undefined {
  const read: Record<string, unknown> = {};
  for (const [name, { absent, plain }] of Object.entries(fields)) {
    const value = options[name];
    const part = value === undefined ? absent : plain(value);
    if (part === undefined && value !== undefined) return undefined;
    read[name] = part;
  }
  return read;
}
