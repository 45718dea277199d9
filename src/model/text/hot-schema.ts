/**
 * Compiles a schema after many uses. Compiling costs as much as a thousand parsed lines save, and most processes read
 * only a few.
 */
import * as z from 'zod';

const OFTEN = 1_000;

/** @returns the schema's `safeParse` */
export function compiledWhenHot<T extends z.ZodType>(schema: T): T['safeParse'] {
  let used = 0;
  let parser = schema;
  return (value) => {
    used += 1;
    if (used === OFTEN) parser = z.compile(schema);
    return parser.safeParse(value);
  };
}
