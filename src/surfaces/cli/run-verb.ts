/** One verb, from its words to its exit code. */
import * as z from 'zod';
import { fail } from './cli-failure.ts';
import { Frame, type CommonFlags } from './context.ts';
import type { Outside } from './io.ts';
import type { Given, Verb } from './verb.ts';

const commonSchema = z.object({
  root: z.string().optional(),
  as: z.string().optional(),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
  verbose: z.boolean().default(false),
  yes: z.boolean().default(false),
  color: z.boolean().default(true),
});

export async function perform(verb: Verb, given: Given, outside: Outside): Promise<number> {
  const flags: CommonFlags = commonSchema.parse(given.options);
  try {
    const { act } = await verb.load();
    return (await act(new Frame(outside, flags), given)) ?? 0;
  } catch (error) {
    return fail(error, flags, outside);
  }
}
