/** The product's sender as an entry of a race. */
import { drain, lazyDisk, makeTeamIn, READER, readerIn, senderIn } from './team.mjs';

export const sending = (options) => ({
  prepare: (dir) => void makeTeamIn(dir),
  writer({ dir, who }) {
    const sender = senderIn(dir, options);
    const send = (content) => sender.send({ sender: who, recipient: READER, draft: { type: 'message', content } });
    return { write: (bodies) => (bodies.length === 1 ? send(bodies[0]) : Promise.all(bodies.map(send))) };
  },
  async collect(dir) {
    const found = [];
    for await (const { content } of drain(readerIn(dir, lazyDisk), 10_000)) found.push(content);
    return found;
  },
});
