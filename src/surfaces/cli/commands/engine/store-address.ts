/** Where the store of a team is: the word of a verb, else `TEAMS_STORE`. */
import { type EngineAddress, ENV, parseEngineAddress, UsageError } from '../../../../app.ts';
import type { CliContext } from '../../context.ts';
import { noMore } from '../../input/options.ts';

/**
 * @param words at most one: a URL
 * @throws UsageError `USAGE`
 */
export function storeAddress(context: CliContext, [url, ...rest]: readonly string[]): EngineAddress {
  noMore(rest);
  if (url !== undefined) return parseEngineAddress(url, 'argument');
  const given = context.io.environment[ENV.store] ?? '';
  if (given === '')
    throw new UsageError(
      'USAGE',
      'Name the store: a URL such as postgres://teams@db.example.org/agents, or TEAMS_STORE with one.',
    );
  return parseEngineAddress(given, 'environment');
}
