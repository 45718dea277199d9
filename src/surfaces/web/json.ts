/** JSON for the page. */
import { safeText } from '../../index.ts';

/** What would fool a reader (control characters, turned directions) is left out of everybody's words. */
export const asJson = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) => (typeof one === 'string' ? safeText(one) : one));
