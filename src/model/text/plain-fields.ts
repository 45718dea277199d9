/**
 * Reads documents without a schema. A short process spends more time on making a schema of a document than on all else
 * that it does with it (docs/decisions/158). A plain reader only accepts: what it returns is what the schema returns, to
 * the order of the keys. For anything else it returns undefined, and the schema judges and says what is wrong.
 */
import type * as z from 'zod';

export type PlainReader<T> = (value: unknown) => T | undefined;

/** How documents of one kind are read. */
export interface DocumentForm<T> {
  /** A function, so that it is made when it is needed. */
  readonly schema: () => z.ZodType<T>;
  readonly plain?: PlainReader<T> | undefined;
}

/** The value of a text that may be no JSON; undefined for such a one. Never throws. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns undefined for what the schema does not accept */
export const readBy = <T>({ schema, plain }: DocumentForm<T>, value: unknown): T | undefined =>
  plain?.(value) ?? schema().safeParse(value).data;

/** A field that may be absent. */
interface Optional<T> {
  readonly optional: PlainReader<T>;
}

/** A reader for each field of a document, in the order of its schema. */
export type PlainShape<T> = {
  readonly [K in keyof T as string extends K ? never : K]-?: undefined extends T[K]
    ? Optional<Exclude<T[K], undefined>>
    : PlainReader<T[K]>;
};

export type Fields = Readonly<Record<string, unknown>>;
type AnyShape = Readonly<Record<string, PlainReader<unknown> | Optional<unknown>>>;
type Scalar = string | number | boolean | null;
type Json = Scalar | Json[] | { [key: string]: Json };

/** V8 copies a part of a string that is shorter; a longer one keeps the whole string in memory. */
const COPIED = 13;

/** A part of a line that does not keep the line, and all that was read with it, in memory. */
export const copiedPart = (part: string): string => (part.length < COPIED ? part : ` ${part}`.slice(1));

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

export const optional = <T>(reader: PlainReader<T>): Optional<T> => ({ optional: reader });
export const nullable =
  <T>(reader: PlainReader<T>): PlainReader<T | null> =>
  (value) =>
    value === null ? null : reader(value);

/** A field that few documents have: the schema reads those. */
export const bySchema: Optional<never> = { optional: () => undefined };

export const plainText: PlainReader<string> = (value) => (typeof value === 'string' ? value : undefined);
export const plainFlag: PlainReader<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);
export const plainNumber: PlainReader<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const plainAmount: PlainReader<number> = (value) => {
  const read = plainNumber(value);
  return read !== undefined && read >= 0 ? read : undefined;
};
export const plainInteger: PlainReader<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
export const plainIntegerFrom =
  (least: number): PlainReader<number> =>
  (value) => {
    const read = plainInteger(value);
    return read !== undefined && read >= least ? read : undefined;
  };
export const plainCount = plainIntegerFrom(0);

export const plainWord =
  <const T extends Scalar>(...words: readonly T[]): PlainReader<T> =>
  (value) =>
    words.find((one) => one === value);

/** A text for which `judge` holds. */
export const plainTextThat =
  (judge: (text: string) => boolean): PlainReader<string> =>
  (value) =>
    typeof value === 'string' && judge(value) ? value : undefined;

/** A text of at most so many characters. */
export const plainTextOf = (most: number, least = 0): PlainReader<string> =>
  plainTextThat(({ length }) => length >= least && length <= most);

/** A list of at least `least` and at most `most` values. */
export const plainList =
  <T>(reader: PlainReader<T>, least = 0, most = Infinity): PlainReader<T[]> =>
  (value) => {
    if (!isList(value) || value.length < least || value.length > most) return undefined;
    const read: T[] = [];
    for (const one of value) {
      const part = reader(one);
      if (part === undefined) return undefined;
      read.push(part);
    }
    return read;
  };

/** A list of exactly these values. */
export function plainTuple<T extends unknown[]>(...readers: { [K in keyof T]: PlainReader<T[K]> }): PlainReader<T>;
export function plainTuple(...readers: PlainReader<unknown>[]): PlainReader<unknown[]> {
  return (value) => {
    if (!isList(value) || value.length !== readers.length) return undefined;
    const read: unknown[] = [];
    for (const [at, reader] of readers.entries()) {
      const part = reader(value[at]);
      if (part === undefined) return undefined;
      read.push(part);
    }
    return read;
  };
}

/** An object whose keys are no fields. */
export const plainRecord =
  <T>(reader: PlainReader<T>, isKey: (key: string) => boolean = () => true): PlainReader<Record<string, T>> =>
  (value) => {
    if (!isFields(value)) return undefined;
    const read: Record<string, T> = {};
    for (const key of Object.keys(value)) {
      const part = key === '__proto__' || !isKey(key) ? undefined : reader(value[key]);
      if (part === undefined) return undefined;
      read[key] = part;
    }
    return read;
  };

/** Any JSON with at most so many levels of objects and lists. */
function plainJson(value: unknown, levels: number): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return plainNumber(value);
  if (levels === 0) return undefined;
  const inner: PlainReader<Json> = (one) => plainJson(one, levels - 1);
  return isList(value) ? plainList(inner)(value) : plainRecord(inner)(value);
}

/** An object of any JSON that is not nested deep. */
export const plainJsonObject = plainRecord((value) => plainJson(value, 3));

/** A document that has no field but these. */
export function plainObject<T extends object>(shape: PlainShape<T>): PlainReader<T> {
  const part = plainPart<T>(shape);
  return (value) => (isFields(value) ? part(value, sizeOf(value)) : undefined);
}

/** Fields of a document which has others beside them: as many as the caller says are these. */
export function plainPart<T extends object>(shape: PlainShape<T>): (value: Fields, own: number) => T | undefined;
export function plainPart(shape: AnyShape): (value: Fields, own: number) => object | undefined {
  const fields = Object.entries(shape);
  return (value, own) => {
    const read = knownFields(fields, value);
    return read !== undefined && sizeOf(read) === own ? read : undefined;
  };
}

/** A document that keeps the fields which it does not know. */
export function plainLooseObject<T extends object>(shape: PlainShape<T>): PlainReader<T>;
export function plainLooseObject(shape: AnyShape): PlainReader<object> {
  const fields = Object.entries(shape);
  return (value) => {
    if (!isFields(value)) return undefined;
    const read = knownFields(fields, value);
    if (read === undefined || sizeOf(read) === sizeOf(value)) return read;
    for (const [key, one] of Object.entries(value)) {
      if (Object.hasOwn(read, key)) continue;
      if (key === '__proto__') return undefined;
      read[key] = one;
    }
    return read;
  };
}

export const sizeOf = (fields: Fields): number => Object.keys(fields).length;

function knownFields(
  fields: readonly (readonly [string, PlainReader<unknown> | Optional<unknown>])[],
  value: Fields,
): Record<string, unknown> | undefined {
  const read: Record<string, unknown> = {};
  for (const [key, field] of fields) {
    const given = value[key];
    if (typeof field !== 'function' && given === undefined) continue;
    const part = typeof field === 'function' ? field(given) : field.optional(given);
    if (part === undefined) return undefined;
    read[key] = part;
  }
  return read;
}
