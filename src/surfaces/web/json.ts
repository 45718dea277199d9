/** JSON for the page. */
import { safeText } from '../../app.ts';

/** Escapes that `JSON.stringify` makes of what {@link safeText} takes out, and of little else. */
const ESCAPED = /\\[bfru]/;

/** What would fool a reader (control characters, turned directions) is left out of everybody's words. */
export function asJson(value: unknown): string {
  const text = JSON.stringify(value);
  // Nearly always there is nothing to take out, and looking at each word by itself takes ten times as long.
  if (!ESCAPED.test(text) && safeText(text) === text) return text;
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'string' ? safeText(one) : one));
}
