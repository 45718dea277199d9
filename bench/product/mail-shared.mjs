/** One process sends on one machine, another takes on the other as a member does; on files both are on one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Mailroom, parseName, takeLease } from '../.build/product.mjs';
import { storeIn } from './claim-shared.mjs';

const READER = parseName('member', 'reader');

export function producer({ place }) {
  const { sender } = storeIn(join(place, 'a'));
  const send = (content) => sender.send({ sender: 'lead', recipient: READER, draft: { type: 'message', content } });
  return { add: (bodies) => Promise.all(bodies.map(send)) };
}

export async function consumer({ place }, onBody) {
  const root = join(place, 'b');
  const store = storeIn(existsSync(root) ? root : join(place, 'a'));
  // As a member's process: only its own machine has its mail.
  const { held } = await takeLease(store.paths, READER, store.forLease());
  if (!held) throw new Error('Another process is the reader.');
  const room = new Mailroom({
    store,
    member: READER,
    isCurrent: () => true,
    handle: ({ content }) => Promise.resolve(onBody(content) ?? true),
    onLook: () => {},
    onTrouble: (error) => console.error(error),
  });
  return { start: () => room.look(), close: () => room.close() };
}
