/**
 * Compiles a schema after many uses. Compiling costs as much as a thousand parsed lines save, and most processes read
 * only a few.
 */
import * as z from 'zod';
import type { DocumentForm } from './plain-fields.ts';

const OFTEN = 1_000;

/** @returns what `safeParse` of the schema returns; until it is compiled, `plain` reads most values in its place */
export function compiledWhenHot<T>({ schema, plain }: DocumentForm<T>): (value: unknown) => z.ZodSafeParseResult<T> {
  let used = 0;
  let parser: z.ZodType<T> | undefined;
  return (value) => {
    used += 1;
    const read = used < OFTEN ? plain?.(value) : undefined;
    if (read !== undefined) return { success: true, data: read };
    if (used === OFTEN) parser = z.compile(schema());
    return (parser ??= schema()).safeParse(value);
  };
}
