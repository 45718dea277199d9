/**
 * Goal 4: from `send` in one process to the handler in another, compared with bare watches on the same stream of
 * messages.
 */
import { isWhole } from '../lib/body.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { relay } from '../lib/relay.mjs';

const OURS = 'product/queue-durable.mjs';
const WATCH = 'yardsticks/fs-watch.mjs';
const CHOKIDAR = 'yardsticks/chokidar.mjs';

export const ids = ['4'];

export async function measure(bench) {
  const { size, dir } = bench;
  const shape = { rounds: size.rounds, dir, count: size.deliveries };
  const results = await relay([OURS, WATCH, CHOKIDAR], { ...shape, gapMs: [2, 18] });
  const p50 = (kind) => results.get(kind).map((round) => round.p50);
  const rows = [...results].map(([kind, rounds]) => ({
    name: kind,
    figures: { 'p50 ms': median(p50(kind)), 'p99 ms': median(rounds.map(({ p99 }) => p99)) },
    audits: rounds.map(({ audit }) => audit),
  }));
  bench.table('Delivery, as shipped, a message each 2 to 18 ms', rows);
  const holds = results.get(OURS).every(({ audit }) => isWhole(audit));
  bench.check({
    id: '4.fs-watch',
    goal: 'delivery p50 ≤ 3 × a bare fs.watch',
    ratio: ratio(p50(OURS), p50(WATCH)),
    atMost: 3,
    holds,
  });
  bench.check({
    id: '4.chokidar',
    goal: 'delivery p50 ≤ 1/50 of chokidar',
    ratio: ratio(p50(OURS), p50(CHOKIDAR)),
    atMost: 1 / 50,
    holds,
  });
  const stuck = results.get(OURS).reduce((sum, { audit }) => sum + audit.lost, 0);
  bench.check({ id: '4.stuck', goal: '0 messages stuck', ratio: stuck, atMost: 0, holds });
}
