/** Goal 8: the inbox as a queue, compared with queues. One process adds in batches of 64, another processes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole } from '../lib/body.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { relay } from '../lib/relay.mjs';
import { isInstalled } from '../lib/installed.mjs';
import { startNats, startRedis } from '../yardsticks/server.mjs';

const OURS = 'product/queue.mjs';
const DURABLE = 'product/queue-durable.mjs';
const BULLMQ = 'yardsticks/bullmq.mjs';
const STREAM = 'yardsticks/redis-stream.mjs';
const JETSTREAM = 'yardsticks/jetstream.mjs';
const SQLITE = 'yardsticks/sqlite-queue.mjs';

export const ids = ['8'];

export async function measure(bench) {
  const servers = {};
  try {
    for (const [name, program, start] of [
      ['redis', 'redis-server', startRedis],
      ['nats', 'nats-server', startNats],
    ]) {
      const place = join(bench.dir, name);
      mkdirSync(place);
      if (isInstalled(program)) servers[name] = await start(place);
      else bench.say(`SKIPPED: ${program} is not installed (apt-get install ${program})`);
    }
    await compare(bench, servers);
  } finally {
    for (const { stop } of Object.values(servers)) await stop();
  }
}

async function compare(bench, { redis, nats }) {
  const { size, dir } = bench;
  const kinds = [OURS, DURABLE, ...(redis ? [BULLMQ, STREAM] : []), ...(nats ? [JETSTREAM] : []), SQLITE];
  const shape = { rounds: size.rounds, dir, redis: redis?.port, nats: nats?.port };
  const bulk = await relay(kinds, { ...shape, batch: 64, ms: size.queueMs });
  const single = await relay(kinds, { ...shape, count: size.deliveries, gapMs: [2, 18] });
  const rates = (kind) => bulk.get(kind).map(({ rate }) => rate);
  const p50 = (kind) => single.get(kind).map((round) => round.p50);
  const rows = kinds.map((kind) => ({
    name: kind,
    figures: { 'messages/s': median(rates(kind)), 'p50 ms of single ones': median(p50(kind)) },
    audits: [...bulk.get(kind), ...single.get(kind)].map(({ audit }) => audit),
  }));
  bench.table('Add and process, batches of 64', rows);
  const holds = [OURS, DURABLE].every((kind) =>
    [...bulk.get(kind), ...single.get(kind)].every(({ audit }) => isWhole(audit)),
  );
  for (const [id, name, kind, atLeast] of [
    ['8.bullmq', 'BullMQ', BULLMQ, 20],
    ['8.jetstream', 'JetStream', JETSTREAM, 10],
    ['8.redis-stream', 'a Redis stream', STREAM, 3],
    ['8.sqlite', 'a SQLite queue', SQLITE, 3],
  ]) {
    const goal = `add + process, batched: ≥ ${atLeast} × ${name}`;
    if (kinds.includes(kind)) bench.check({ id, goal, ratio: ratio(rates(OURS), rates(kind)), atLeast, holds });
    else bench.check({ id, goal, skipped: true });
  }
  const goal = 'p50 of single messages ≤ 0.6 × BullMQ';
  if (redis) bench.check({ id: '8.p50', goal, ratio: ratio(p50(OURS), p50(BULLMQ)), atMost: 0.6, holds });
  else bench.check({ id: '8.p50', goal, skipped: true });
}
