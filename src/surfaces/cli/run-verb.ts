/** Runs one verb, from its parsed arguments to its exit code. */
import * as z from 'zod';
import { fail } from './cli-failure.ts';
import { CliContext, type CommonFlags } from './context.ts';
import { useStore } from './named-store.ts';
import type { CliIo } from './io.ts';
import type { VerbInput, Verb } from './verb.ts';

const commonSchema = z.object({
  root: z.string().optional(),
  store: z.string().optional(),
  as: z.string().optional(),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
  verbose: z.boolean().default(false),
  yes: z.boolean().default(false),
  color: z.boolean().default(true),
});

export async function perform(verb: Verb, given: VerbInput, io: CliIo): Promise<number> {
  const flags: CommonFlags = commonSchema.parse(given.options);
  try {
    const context = new CliContext(io, flags);
    using _relay = await useStore(context, verb);
    const { act } = await verb.load();
    return (await act(context, given)) ?? 0;
  } catch (error) {
    return fail(error, flags, io);
  }
}
