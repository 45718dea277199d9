/** Goal 6: an inbox of a million messages, emptied by one process. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isWhole } from '../lib/body.mjs';
import { job, once } from '../lib/crew.mjs';
import { median, ratio } from '../lib/figures.mjs';

export const ids = ['6'];

export async function measure(bench) {
  const { fill } = await import('../product/drain.mjs');
  const { pathsIn, READER } = await import('../product/team.mjs');
  const { backlog: count, rounds } = bench.size;
  const [ours, shipped, bare] = [[], [], []];
  for (let round = 0; round < Math.min(rounds, 3); round += 1)
    for (const [isDurable, results] of [
      [false, ours],
      [true, shipped],
    ]) {
      const dir = join(bench.dir, `drain-${round}`);
      mkdirSync(dir);
      fill(dir, count);
      const file = pathsIn(dir).inbox(READER).inbox;
      if (!isDurable) bare.push(...(await once([job('yardsticks/json-parse.mjs', 'parseAll', { file, count })])));
      results.push(...(await once([job('product/drain.mjs', 'empty', { dir, count, isDurable })])));
      rmSync(dir, { recursive: true });
    }
  judge(bench, { ours, shipped, bare });
}

function judge(bench, { ours, shipped, bare }) {
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
  ]);
  const holds = [...audits(ours), ...audits(shipped)].every(isWhole);
  const held = Math.max(...all(ours, 'heldMs'));
  bench.check({
    id: '6.rss',
    goal: 'drain of 1 M: RSS ≤ 64 MB',
    ratio: Math.max(...all(ours, 'rssMb')),
    atMost: 64,
    holds,
  });
  bench.check({ id: '6.lock', goal: 'lock held ≤ 2 ms', ratio: held, atMost: 2, holds });
  const speed = ratio(all(ours, 'rate'), all(bare, 'rate'));
  bench.check({ id: '6.parse', goal: '≥ 60 % of bare JSON.parse', ratio: speed, atLeast: 0.6, holds });
}
