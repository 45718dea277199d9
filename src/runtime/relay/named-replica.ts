/** The replica of a store that is named: where it lies on this machine, and a relay that serves it. */
import { parseEngineAddress, shownAddress } from '../../model/config/engine-address.ts';
import { keysIn } from '../../model/text/public-key.ts';
import { replicaFolder } from '../../store/user/own-folders.ts';
import { keepRelay, type KeepOptions, type ReplicaOfStore } from './keep-relay.ts';

export interface NamedStore {
  readonly url: string;
  /** Where the URL stands, which decides whether it may have a password. */
  readonly given: 'argument' | 'environment' | 'file';
  /** The folder of the replica; by default one in the user's state directory. */
  readonly root?: string | undefined;
}

/** @throws UsageError `USAGE`, `CONFIG_INVALID` */
export function replicaOfNamed(
  { url, given, root }: NamedStore,
  environment: KeepOptions['environment'],
): ReplicaOfStore {
  const store = shownAddress(parseEngineAddress(url, given));
  return { root: root ?? replicaFolder(store, environment), store, url };
}

/**
 * @returns the replica, and what keeps its relay until it is disposed of
 * @throws UsageError `USAGE`, `CONFIG_INVALID`; those of {@link keepRelay}
 */
export async function openNamedReplica(
  named: NamedStore,
  options: KeepOptions,
): Promise<{ readonly replica: ReplicaOfStore; readonly relay: Disposable }> {
  const { environment } = options;
  // A key that is none is said at once, and not when a signature is met.
  keysIn(environment);
  const replica = replicaOfNamed(named, environment);
  return { replica, relay: await keepRelay(replica, options) };
}
