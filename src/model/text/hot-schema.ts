/**
 * A schema that many lines pass. Compiling one costs as much as a thousand lines gain by it, and most processes read few:
 * so it is compiled when it has been used that often.
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
