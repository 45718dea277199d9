/**
 * Problems of a document that a person wrote, as sentences with a position. Schemas of such documents are built with
 * {@link closed} and read with {@link check}, so that all messages have the same form: *Expected "retries" to be a
 * whole number, got "x".*
 */
import * as z from 'zod';
import { didYouMean } from './did-you-mean.ts';

export type Path = readonly PropertyKey[];

export interface DocumentProblem {
  /** The position, as keys and indices from the root of the document. */
  readonly path: Path;
  /** The key itself is wrong, not its value. */
  readonly atKey?: boolean;
  /** One sentence. */
  readonly text: string;
}

/** At most this many problems of one document are reported. */
export const MAX_PROBLEMS = 100;

/**
 * An object schema that refuses unknown keys and suggests the nearest known one.
 *
 * @param known what other programs' words are called here, as the rest of a sentence
 * @param form what to write instead of a text, as a sentence
 */
export const closed = <Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  known: Readonly<Record<string, string>> = {},
  form?: (text: string) => string,
) =>
  z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'invalid_type' && typeof issue.input === 'string') return form?.(issue.input);
      if (issue.code !== 'unrecognized_keys') return undefined;
      const hintOf = (key: string): string =>
        Object.hasOwn(known, key) ? `; use ${known[key]}.` : didYouMean(key, Object.keys(shape));
      return issue.keys.map((key) => `Unknown key ${quoted(key)}${hintOf(key)}`).join('\n');
    },
  });

export type Checked<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: DocumentProblem[] };

/** Parses a value of unknown origin; never throws. */
export function check<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const parsed = schema.safeParse(value, { error: sentence });
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, [])) };
}

function problemsOf(issue: z.core.$ZodIssue, prefix: Path): DocumentProblem[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const sentences = issue.message.split('\n');
    return issue.keys.map((key, at) => ({ path: [...path, key], atKey: true, text: sentences[at] ?? issue.message }));
  }
  if (issue.code === 'invalid_key') return [{ path, atKey: true, text: issue.issues[0]?.message ?? issue.message }];
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.filter((branch) => !branch.some(isMismatch));
    if (meant.length === 1 && meant[0]) return meant[0].flatMap((one) => problemsOf(one, path));
  }
  return [{ path, text: issue.message }];
}

/** Whether the value has a type that this branch of a union does not accept at all. */
const isMismatch = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length === 0 &&
  (issue.code === 'invalid_type' ||
    issue.code === 'invalid_value' ||
    (issue.code === 'invalid_union' && issue.errors.every((branch) => branch.some(isMismatch))));

/** Replaces zod's messages by this project's; a schema's own message has precedence. */
function sentence(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `Unknown key ${quoted(key)}.`).join('\n');
  const label = labelOf(issue.path ?? []);
  if (issue.input === undefined && issue.code === 'invalid_type') return `${capital(label)} is missing.`;
  if (issue.input === undefined && issue.code === 'invalid_value')
    return `${capital(label)} is missing; it is ${choice(issue.values)}.`;
  return `Expected ${label} ${expectation(issue)}`;
}

function expectation(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `to be ${kindOf(issue.expected)}, got ${describeValue(issue.input)}.`;
    case 'invalid_union':
      return `to be ${alternatives(issue.errors).join(' or ') || 'valid'}, got ${describeValue(issue.input)}.`;
    case 'invalid_value':
      return `to be ${choice(issue.values)}, got ${describeValue(issue.input)}${hint(issue.input, issue.values)}`;
    case 'too_small':
      return issue.origin === 'number'
        ? `to be at least ${issue.minimum}, got ${describeValue(issue.input)}.`
        : `not to be empty.`;
    case 'too_big':
      return issue.origin === 'number'
        ? `to be at most ${issue.maximum}, got ${describeValue(issue.input)}.`
        : `to have at most ${issue.maximum} ${issue.origin === 'string' ? 'characters' : 'entries'}.`;
    case 'custom':
    case 'invalid_element':
    case 'invalid_format':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return `to be valid, got ${describeValue(issue.input)}.`;
  }
}

const hint = (input: unknown, values: readonly z.core.util.Primitive[]): string =>
  typeof input === 'string' ? didYouMean(input, values.map(String)) : '.';

const choice = (values: readonly z.core.util.Primitive[]): string =>
  values.length === 1 ? String(values[0]) : `one of ${values.map(String).join(', ')}`;

function alternatives(branches: readonly (readonly z.core.$ZodIssue[])[]): string[] {
  const kinds = branches.flatMap(([first]) => {
    if (first?.code === 'invalid_union') return alternatives(first.errors);
    if (first?.code === 'invalid_type') return [kindOf(first.expected)];
    return first?.code === 'invalid_value' ? [choice(first.values)] : [];
  });
  return [...new Set(kinds)];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
};

const kindOf = (expected: string): string => KINDS[expected] ?? expected;

function labelOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'this';
  return typeof last === 'number' ? `an entry of ${labelOf(path.slice(0, -1))}` : quoted(String(last));
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A text for output: in quotes, clipped, with control characters escaped. */
export const quoted = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** A value, described for a sentence. */
function describeValue(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'a map';
}

/** Whether a value is an object with keys, not a list. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
