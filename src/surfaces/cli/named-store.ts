/**
 * The store of a command line: `--store`, else `TEAMS_STORE`, else `store` of the configuration. Its teams are in a
 * replica on this machine, in the folder of `--root` or in the user's state directory, and a relay serves it.
 */
import { resolve } from 'node:path';
import {
  configuredStore,
  ENV,
  type NamedStore,
  openNamedReplica,
  realClock,
  replicaOfNamed,
  UsageError,
} from '../../app.ts';
import type { CliContext } from './context.ts';
import type { Verb } from './verb.ts';
import { givenRoot, projectOf } from './input/root.ts';

/**
 * Makes the verb work on the teams of a store, if one is named.
 *
 * @returns keeps the relay until it is disposed of; undefined without a store
 * @throws UsageError `USAGE`, `CONFIG_INVALID`; StoreError if the store cannot be asked and nothing of it is here yet
 */
export async function useStore(context: CliContext, verb: VerbOfStore): Promise<Disposable | undefined> {
  if (verb.storeless === true) {
    if (context.flags.store === undefined) return undefined;
    throw new UsageError('USAGE', `\`teams ${verb.name}\` takes no --store${wordOf(verb)}.`);
  }
  const named = storeOf(context);
  if (named === undefined) return undefined;
  const { io } = context;
  const { replica, relay } = await openNamedReplica(
    { ...named, root: replicaRoot(context) },
    { clock: realClock, environment: io.environment, tell: (text) => context.warn(text) },
  );
  context.store = replica;
  return relay;
}

/** As {@link useStore} for who only looks at what is here of the teams of the store: no relay is started. */
export function lookIntoStore(context: CliContext): void {
  const named = storeOf(context);
  if (named === undefined) return;
  context.store = replicaOfNamed({ ...named, root: replicaRoot(context) }, context.io.environment);
}

function replicaRoot(context: CliContext): string | undefined {
  const given = givenRoot(context);
  return given === undefined ? undefined : resolve(context.io.cwd, given);
}

type VerbOfStore = Pick<Verb, 'name' | 'storeless'>;

const wordOf = ({ name }: VerbOfStore): string => (name.startsWith('store ') ? ': name it as a word' : '');

/** @throws UsageError `POLICY_DENIED`, `CONFIG_INVALID` */
export const isStoreNamed = (context: CliContext): boolean => storeOf(context) !== undefined;

/** A program of a member works on its member's team: its root says whether that is in a store. */
function storeOf(context: CliContext): NamedStore | undefined {
  const { flags, io } = context;
  const isOfMember = [ENV.member, ENV.socket].some((name) => (io.environment[name] ?? '') !== '');
  if (isOfMember || io.isolate !== undefined) {
    if (flags.store === undefined) return undefined;
    throw new UsageError('POLICY_DENIED', 'A teammate cannot name a store; it works on its own team.');
  }
  if (flags.store !== undefined) return { url: flags.store, given: 'argument' };
  const variable = io.environment[ENV.store] ?? '';
  if (variable !== '') return { url: variable, given: 'environment' };
  if (givenRoot(context) !== undefined) return undefined;
  const configured = configuredStore(projectOf(context), io.environment);
  return configured === undefined ? undefined : { url: configured, given: 'file' };
}
