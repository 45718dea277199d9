/**
 * Goal 4: from `send` in one process to the handler in another, compared with bare watches on the same stream of
 * messages.
 */
import { isWhole } from '../lib/body.mjs';
import { median } from '../lib/figures.mjs';
import { relay } from '../lib/relay.mjs';

const OURS = 'product/queue-durable.mjs';
const LEAST = 'least/queue-durable.mjs';
const WATCH = 'yardsticks/fs-watch.mjs';
const CHOKIDAR = 'yardsticks/chokidar.mjs';

export const rows = [4];

export async function measure(bench) {
  const { size, dir } = bench;
  const shape = { rounds: size.rounds, dir, count: size.deliveries };
  const results = await relay([OURS, LEAST, WATCH, CHOKIDAR], { ...shape, gapMs: [2, 18] });
  const p50 = (kind) => results.get(kind).map((round) => round.p50);
  const lines = [...results].map(([kind, rounds]) => ({
    name: kind,
    figures: { 'p50 ms': median(p50(kind)), 'p99 ms': median(rounds.map(({ p99 }) => p99)) },
    audits: rounds.map(({ audit }) => audit),
  }));
  bench.table('Delivery, as shipped, a message each 2 to 18 ms', lines);
  const holds = results.get(OURS).every(({ audit }) => isWhole(audit));
  bench.check('4.fs-watch', { ours: p50(OURS), theirs: p50(WATCH), least: p50(LEAST), holds });
  bench.check('4.chokidar', { ours: p50(OURS), theirs: p50(CHOKIDAR), holds });
  bench.check('4.p99', { ours: results.get(OURS).map(({ p99 }) => p99), theirs: p50(OURS), holds });
  const stuck = results.get(OURS).reduce((sum, { audit }) => sum + audit.lost, 0);
  bench.check('4.stuck', { ours: stuck, holds });
}
