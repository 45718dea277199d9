/** `teams config show`: the effective configuration, and with `--origin` the source of each value. */
import * as z from 'zod';
import { flag, noMore, readOptions } from '../../input/options.ts';
import { settings } from '../../input/settings.ts';
import { table } from '../../output/table.ts';
import type { Act } from '../../verb.ts';

const schema = z.object({ origin: flag });

export const act: Act = async (context, given) => {
  const { origin } = readOptions(schema, given);
  noMore(given.words);
  const { config, origins, warnings } = settings(context).merged;
  const rows = rowsOf(config).map(([key, value]) => [key, value, ...(origin ? [origins.get(key) ?? ''] : [])]);
  const withOrigins = origin ? { origins: Object.fromEntries(origins), warnings } : {};
  context.result({ config, ...withOrigins }, table(rows));
  return Promise.resolve(0);
};

/** One row for each entry of a group, because origins are stored like that. A key without a value has no row. */
const rowsOf = (config: object): [key: string, value: string][] =>
  Object.entries(config).flatMap(([key, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[key, JSON.stringify(value)]];
    return Object.entries(value).map(([inner, one]): [string, string] => [`${key}.${inner}`, JSON.stringify(one)]);
  });
