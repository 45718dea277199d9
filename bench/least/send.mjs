/** Each message, or each group, with the calls of the store's rules and nothing else. */
import { bodiesIn, inboxIn } from '../yardsticks/lines.mjs';
import { lineOf, sender } from './store-calls.mjs';

export { prepare } from './store-calls.mjs';

export function writer({ dir, who }) {
  const send = sender(dir, who);
  return { write: (bodies) => send(bodies.map((body) => lineOf(who, body)).join('')) };
}

export const collect = (dir) => bodiesIn(inboxIn(dir));
