/** A limit from the command line: `cost=5`, `member.ada.tokens=100000`. */
import { parseLimit, UsageError, type LimitChange } from '../../../app.ts';

/** @throws UsageError `USAGE` naming what is wrong */
export function limitChange(how: LimitChange['how'], given: string): LimitChange {
  const read = parseLimit(given);
  if (typeof read === 'string') throw new UsageError('USAGE', read);
  const [scope, amount] = read;
  return { how, limits: { [scope]: amount } };
}
