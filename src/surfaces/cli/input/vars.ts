/** Parses `--var k=v`, which may be repeated. */
import { UsageError } from '../../../app.ts';

/** @throws UsageError `USAGE` for a value without `=` */
export function parseVars(given: readonly string[]): Readonly<Record<string, string>> {
  const entries = given.map((one): [string, string] => {
    const at = one.indexOf('=');
    if (at > 0) return [one.slice(0, at), one.slice(at + 1)];
    throw new UsageError('USAGE', `--var: Expected k=v, got ${JSON.stringify(one)}.`);
  });
  return Object.fromEntries(entries);
}
