/** Goal 6: an inbox of a million messages, emptied by one process. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole } from '../lib/body.mjs';
import { job, once } from '../lib/crew.mjs';
import { median } from '../lib/figures.mjs';

export const rows = [6];

export async function measure(bench) {
  const { fill } = await import('../product/drain.mjs');
  const { pathsIn, READER } = await import('../product/team.mjs');
  const { backlog: count, rounds } = bench.size;
  const [ours, shipped, bare, least] = [[], [], [], []];
  for (let round = 0; round < Math.min(rounds, 3); round += 1)
    for (const [isDurable, results] of [
      [false, ours],
      [true, shipped],
    ]) {
      const dir = join(bench.dir, `drain-${round}`);
      mkdirSync(dir);
      fill(dir, count);
      const file = pathsIn(dir).inbox(READER).inbox;
      if (!isDurable) {
        bare.push(...(await once([job('yardsticks/json-parse.mjs', 'parseAll', { file, count })])));
        least.push(...(await once([job('least/drain.mjs', 'drain', { dir, file, count })])));
      }
      results.push(...(await once([job('product/drain.mjs', 'empty', { dir, count, isDurable })])));
      rmSync(dir, { recursive: true });
    }
  judge(bench, { ours, shipped, bare, least });
}

function judge(bench, { ours, shipped, bare, least }) {
  const all = (results, key) => results.map((result) => result[key]);
  const audits = (results) => results.map(({ lost, damaged = 0, repeated = 0 }) => ({ lost, damaged, repeated }));
  const figures = (results) => ({
    'messages/s': median(all(results, 'rate')),
    'RSS MB': median(all(results, 'rssMb')),
  });
  bench.table(`An inbox of ${bench.size.backlog} messages: taken and acknowledged`, [
    { name: 'product/drain.mjs', figures: figures(ours), audits: audits(ours) },
    { name: 'product/drain.mjs, as shipped: flushed', figures: figures(shipped), audits: audits(shipped) },
    { name: 'yardsticks/json-parse.mjs', figures: figures(bare), audits: audits(bare) },
    { name: 'least/drain.mjs', figures: figures(least), audits: audits(least) },
  ]);
  const holds = [...audits(ours), ...audits(shipped)].every(isWhole);
  bench.check('6.rss', { ours: all(ours, 'rssMb'), theirs: all(bare, 'rssMb'), least: all(least, 'rssMb'), holds });
  bench.check('6.lock', { ours: Math.max(...all(ours, 'heldMs')), holds });
  bench.check('6.parse', { ours: all(ours, 'rate'), theirs: all(bare, 'rate'), least: all(least, 'rate'), holds });
}
