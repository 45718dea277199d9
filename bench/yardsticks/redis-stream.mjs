/** A Redis stream with a consumer group: pipelined XADD, XREADGROUP of 1,000, XACK and XDEL. */
import { Redis } from 'ioredis';

const GROUP = 'bench';
const open = ({ redis }) => new Redis({ host: '127.0.0.1', port: redis });

export function producer(place) {
  const redis = open(place);
  return {
    async add(bodies) {
      const pipeline = redis.pipeline();
      for (const body of bodies) pipeline.xadd(place.id, '*', 'body', body);
      await pipeline.exec();
    },
    close: () => redis.quit(),
  };
}

export function consumer(place, onBody) {
  const redis = open(place);
  const read = async () => {
    for (;;) {
      const answer = await redis.xreadgroup(
        'GROUP',
        GROUP,
        'one',
        'COUNT',
        1_000,
        'BLOCK',
        1_000,
        'STREAMS',
        place.id,
        '>',
      );
      const entries = answer?.[0]?.[1] ?? [];
      for (const [, [, body]] of entries) onBody(body);
      const ids = entries.map(([id]) => id);
      if (ids.length > 0)
        await redis
          .pipeline()
          .xack(place.id, GROUP, ...ids)
          .xdel(place.id, ...ids)
          .exec();
    }
  };
  return {
    async start() {
      await redis.xgroup('CREATE', place.id, GROUP, '$', 'MKSTREAM');
      void read();
    },
  };
}
