/** Runs one verb, from its parsed arguments to its exit code. */
import { movesIn } from '../../app.ts';
import { fail } from './cli-failure.ts';
import { CliContext, type CommonFlags } from './context.ts';
import { useStore } from './named-store.ts';
import { flagField, readFields, textField, unlessField } from './input/plain-options.ts';
import { rootOf } from './input/root.ts';
import type { CliIo } from './io.ts';
import type { VerbInput, Verb } from './verb.ts';

const COMMON_FIELDS = {
  root: textField,
  store: textField,
  as: textField,
  json: flagField,
  quiet: flagField,
  verbose: flagField,
  yes: flagField,
  color: unlessField,
};

/** @returns what every verb is given */
export const commonFlags = (given: VerbInput): CommonFlags => readFields(COMMON_FIELDS, given);

export async function perform(verb: Verb, given: VerbInput, io: CliIo): Promise<number> {
  const flags = commonFlags(given);
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
