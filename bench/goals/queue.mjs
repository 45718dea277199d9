/** Goal 8: the inbox as a queue, compared with queues. One process adds in batches of 64, another processes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole } from '../lib/body.mjs';
import { median } from '../lib/figures.mjs';
import { relay } from '../lib/relay.mjs';
import { hasYardstick, isInstalled } from '../lib/installed.mjs';
import { startNats, startRedis } from '../yardsticks/server.mjs';

const OURS = 'product/queue.mjs';
const DURABLE = 'product/queue-durable.mjs';
const LEAST = 'least/queue.mjs';
const BULLMQ = 'yardsticks/bullmq.mjs';
const STREAM = 'yardsticks/redis-stream.mjs';
const JETSTREAM = 'yardsticks/jetstream.mjs';
const SQLITE = 'yardsticks/sqlite-queue.mjs';

export const rows = [8];

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
  const kinds = [OURS, DURABLE, LEAST, ...(redis ? [BULLMQ, STREAM] : []), ...(nats ? [JETSTREAM] : []), SQLITE].filter(
    hasYardstick,
  );
  const shape = { rounds: size.rounds, dir, redis: redis?.port, nats: nats?.port };
  // First: ext4 creates files slowly for a minute after thousands were removed (docs/decisions/162-what-a-short-task-costs.md).
  const single = await relay(kinds, { ...shape, count: size.deliveries, gapMs: [2, 18] });
  const bulk = await relay(kinds, { ...shape, batch: 64, ms: size.queueMs });
  const rates = (kind) => bulk.get(kind).map(({ rate }) => rate);
  const p50 = (kind) => single.get(kind).map((round) => round.p50);
  const lines = kinds.map((kind) => ({
    name: kind,
    figures: { 'messages/s': median(rates(kind)), 'p50 ms of single ones': median(p50(kind)) },
    audits: [...bulk.get(kind), ...single.get(kind)].map(({ audit }) => audit),
  }));
  bench.table('Add and process, batches of 64', lines);
  const holds = [OURS, DURABLE].every((kind) =>
    [...bulk.get(kind), ...single.get(kind)].every(({ audit }) => isWhole(audit)),
  );
  const check = (id, kind, of) =>
    bench.check(
      id,
      kinds.includes(kind)
        ? { ours: of(OURS), theirs: of(kind), least: of(LEAST), holds }
        : { skipped: `${kind.slice('yardsticks/'.length)} is not installed` },
    );
  check('8.sqlite', SQLITE, rates);
  check('8.redis-stream', STREAM, rates);
  check('8.jetstream', JETSTREAM, rates);
  check('8.bullmq', BULLMQ, rates);
  check('8.p50', BULLMQ, p50);
}
