/** The user's folders of this runtime besides the one of the key (`seal.ts`). */
import { join } from 'node:path';
import { homeDirectory } from './home.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Compiled code, which `bin/load.cjs` writes and reads. */
export const codeCacheFolder = (environment: Environment): string =>
  join(absolute(environment['XDG_CACHE_HOME']) ?? join(homeDirectory(environment), '.cache'), 'teams');

/** The user's own configuration, which may name commands. */
export const userConfigFolder = (environment: Environment): string =>
  join(absolute(environment['XDG_CONFIG_HOME']) ?? join(homeDirectory(environment), '.config'), 'teams');

const absolute = (path: string | undefined): string | undefined => (path?.startsWith('/') ? path : undefined);
