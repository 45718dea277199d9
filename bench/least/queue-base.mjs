/** A queue with the calls of the store's rules and nothing else. */
import { watch } from 'node:fs';
import { bellIn, lineOf, prepare, sender, taker } from './store-calls.mjs';

export const queueing = (options) => ({
  prepare,
  producer({ dir }) {
    const send = sender(dir, 'ada', options);
    return { add: (bodies) => send(bodies.map((body) => lineOf('ada', body)).join('')) };
  },
  consumer({ dir }, onBody) {
    const take = taker(dir, onBody, options);
    return { start: () => void (watch(bellIn(dir), take), take()) };
  },
});
