/** Where the teams of a program are that uses the library: in a folder, or in a store on PostgreSQL. */
import process from 'node:process';
import { ENV } from '../../model/text/environment.ts';
import { UsageError } from '../../model/text/errors.ts';
import { realClock } from '../../os/system-clock.ts';
import { findRoot } from '../../store/team/team-list.ts';

export interface PlaceOptions {
  /**
   * The directory that holds `.teams`; by default `TEAMS_ROOT`, which a member's program has, else the nearest parent with
   * one, else the working directory. With a store it is that of the replica, by default one in the user's state directory.
   */
  readonly root?: string | undefined;
  /**
   * The URL of a store on PostgreSQL, as `--store` names it (docs/scale-out.md), also with a password; by default
   * `TEAMS_STORE`. The program of a member has none.
   */
  readonly store?: string | undefined;
}

interface LibraryPlace {
  readonly root: string;
  /** Keeps the relay of the store until it is disposed of; undefined without a store. */
  readonly relay: Disposable | undefined;
}

/**
 * @throws UsageError `USAGE` for an address that is none, or a folder of other teams; `POLICY_DENIED` for a store that a
 *   member's program names; StoreError if the store cannot be asked and nothing of it is here yet
 */
export async function libraryPlace({ root: given, store }: PlaceOptions): Promise<LibraryPlace> {
  const url = namedStore(store);
  const root = given ?? (process.env[ENV.root] || undefined);
  if (url === undefined) return { root: root ?? findRoot(process.cwd()), relay: undefined };
  const { openNamedReplica } = await import('./named-replica.ts');
  const { replica, relay } = await openNamedReplica(
    // Nobody else reads what a program says to itself: it may have a password, as in the environment.
    { url, given: 'environment', root },
    { clock: realClock, environment: process.env, tell: (text) => process.emitWarning(text) },
  );
  return { root: replica.root, relay };
}

function namedStore(store: string | undefined): string | undefined {
  const { env: environment } = process;
  const isOfMember = [ENV.member, ENV.socket].some((name) => (environment[name] ?? '') !== '');
  if (isOfMember && store !== undefined)
    throw new UsageError('POLICY_DENIED', 'A teammate cannot name a store; it works on its own team.');
  const variable = isOfMember ? '' : (environment[ENV.store] ?? '');
  return store ?? (variable === '' ? undefined : variable);
}
