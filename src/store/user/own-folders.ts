/** The user's folders of this runtime besides the one of the key (`seal.ts`). */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { homeDirectory } from './home.ts';
import { keyPath } from './seal.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Compiled code, which `bin/load.cjs` writes and reads. */
export const codeCacheFolder = (environment: Environment): string =>
  join(absolute(environment['XDG_CACHE_HOME']) ?? join(homeDirectory(environment), '.cache'), 'teams');

/** The user's own configuration, which may name commands. */
export const userConfigFolder = (environment: Environment): string =>
  join(absolute(environment['XDG_CONFIG_HOME']) ?? join(homeDirectory(environment), '.config'), 'teams');

/**
 * The replica of a store where no `--root` says another place. Its name is short: a socket is in it.
 *
 * @param store its address without a password
 */
export const replicaFolder = (store: string, environment: Environment): string =>
  join(dirname(keyPath(environment)), 'replicas', createHash('sha256').update(store).digest('hex').slice(0, 12));

/** The folders of leads that answer verbs, beside the key: who reaches them could read the key. */
export const leadsFolder = (environment: Environment): string => join(dirname(keyPath(environment)), 'leads');

const absolute = (path: string | undefined): string | undefined => (path?.startsWith('/') ? path : undefined);
