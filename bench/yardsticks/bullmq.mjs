/** BullMQ: `addBulk`, and a worker with 64 jobs at a time. Finished jobs are removed, as acknowledged mail is. */
import { Queue, Worker } from 'bullmq';

const QUEUE = 'bench';
const settings = ({ redis, id }) => ({
  connection: { host: '127.0.0.1', port: redis, maxRetriesPerRequest: null },
  prefix: id,
});

export function producer(place) {
  const queue = new Queue(QUEUE, settings(place));
  const opts = { removeOnComplete: true };
  return {
    add: (bodies) =>
      bodies.length === 1
        ? queue.add('message', { body: bodies[0] }, opts)
        : queue.addBulk(bodies.map((body) => ({ name: 'message', data: { body }, opts }))),
    close: () => queue.close(),
  };
}

export function consumer(place, onBody) {
  const work = ({ data }) => Promise.resolve(onBody(data.body));
  const worker = new Worker(QUEUE, work, { ...settings(place), concurrency: 64, autorun: false });
  return {
    async start() {
      await worker.waitUntilReady();
      void worker.run();
    },
  };
}
