/** JSON for the page. */
import { safeText } from '../../app.ts';

/** Escapes that `JSON.stringify` writes for what {@link safeText} removes, and for little else. */
const ESCAPED = /\\[bfru]/;

/** JSON without characters that could mislead a reader, such as control characters and direction marks. */
export function asJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Usually there is nothing to remove, and checking each string alone takes ten times as long.
  if (!ESCAPED.test(text) && safeText(text) === text) return text;
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'string' ? safeText(one) : one));
}
