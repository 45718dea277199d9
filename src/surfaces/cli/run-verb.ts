/** Runs one verb, from its parsed arguments to its exit code. */
import * as z from 'zod';
import { movesIn } from '../../app.ts';
import { fail } from './cli-failure.ts';
import { CliContext, type CommonFlags } from './context.ts';
import { useStore } from './named-store.ts';
import { rootOf } from './input/root.ts';
import type { CliIo } from './io.ts';
import type { VerbInput, Verb } from './verb.ts';

export const commonSchema = z.object({
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
    const { act, check } = await verb.load();
    check?.(context, given);
    using _relay = await useStore(context, verb);
    await endMoves(context, verb, given);
    return (await act(context, given)) ?? 0;
  } catch (error) {
    return fail(error, flags, io);
  }
}

/** Loads nothing where no move of a team was cut short. */
async function endMoves(context: CliContext, verb: Verb, given: VerbInput): Promise<void> {
  if (verb.storeless === true || context.store !== undefined || context.io.isolate !== undefined) return;
  const root = rootOf(context);
  const moves = movesIn(root);
  if (moves.length > 0) await (await import('./unfinished-moves.ts')).endMovesFor(context, root, moves, given);
}
