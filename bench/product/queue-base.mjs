/** The product's inbox as a queue: one process sends, another takes and acknowledges as a member does. */
import { Mailroom, realClock } from '../.build/product.mjs';
import { locksIn, makeTeamIn, pathsIn, READER, senderIn } from './team.mjs';

export const queueing = ({ durable, disk }) => ({
  prepare: (dir) => void makeTeamIn(dir),
  producer({ dir }) {
    const sender = senderIn(dir, { durable });
    const send = (content) => sender.send({ sender: 'ada', recipient: READER, draft: { type: 'message', content } });
    return { add: (bodies) => Promise.all(bodies.map(send)) };
  },
  consumer({ dir }, onBody) {
    const paths = pathsIn(dir);
    const store = { paths, disk, clock: realClock, locks: locksIn(dir), events: { append: console.error } };
    const handle = ({ content }) => Promise.resolve(onBody(content) ?? true);
    const room = new Mailroom({
      store,
      member: READER,
      isCurrent: () => true,
      handle,
      onLook: () => {},
      onTrouble: (error) => console.error(error),
    });
    return { start: () => room.look(), close: () => room.close() };
  },
});
