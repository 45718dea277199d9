/** Writers of several kinds, one kind after the other, round after round: so that all meet the same conditions. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { audit, bodyOf } from './body.mjs';
import { hire, job, together } from './crew.mjs';
import { sum } from './figures.mjs';

/**
 * @param {{kind: string, writers?: number, batch?: number}[]} entries modules under bench/, each with `writer` or `argv`,
 *   and `collect`; how many write, and how many messages at once
 * @param {{writers: number, ms: number, rounds: number, dir: string}} shape
 * @returns {Promise<Map<string, {rate: number, counts: number[], audit: object}[]>>} by kind, one result a round
 */
export async function race(entries, { rounds, dir, ms, writers: most }) {
  const groups = await Promise.all(entries.map((entry) => groupOf({ writers: most, batch: 1, ...entry })));
  const results = new Map(groups.map(({ kind }) => [kind, []]));
  await hire(
    groups.flatMap(({ jobs }) => jobs),
    async (hands) => {
      const crews = groups.map((group) => ({ ...group, hands: hands.splice(0, group.jobs.length) }));
      // The first round warms up, and does not count.
      for (let round = 0; round <= rounds; round += 1)
        for (const crew of round % 2 === 0 ? crews : [...crews].reverse()) {
          const result = await heat(crew, { dir: join(dir, `race-${round}`), ms });
          if (round > 0) results.get(crew.kind).push(result);
        }
    },
  );
  return results;
}

async function groupOf({ kind, writers, batch }) {
  const subject = await import(new URL(`../${kind}`, import.meta.url).href);
  const hands = Array.from({ length: writers }, (_, n) => ({ kind, who: `w${n}`, batch }));
  return { kind, subject, jobs: hands.map((hand) => subject.argv?.(hand) ?? job('lib/race.mjs', 'write', hand)) };
}

async function heat({ subject, hands }, { dir, ms }) {
  mkdirSync(dir, { mode: 0o700 });
  await subject.prepare?.(dir);
  const sent = await together(hands, { dir, ms });
  const found = await subject.collect(dir);
  rmSync(dir, { recursive: true });
  return {
    rate: sum(sent.map(({ count, ms: took }) => (count / took) * 1000)),
    counts: sent.map(({ count }) => count),
    audit: audit(found, sent),
  };
}

/** The job of one writer: batches until its time is over. */
export async function write({ kind, who, batch }) {
  const { writer } = await import(new URL(`../${kind}`, import.meta.url).href);
  return async ({ dir, ms }) => {
    const out = await writer({ dir, who });
    const began = performance.now();
    let count = 0;
    for (; performance.now() - began < ms; count += batch) {
      const bodies = [];
      for (let n = 0; n < batch; n += 1) bodies.push(bodyOf(who, count + n));
      await out.write(bodies);
    }
    const took = performance.now() - began;
    await out.close?.();
    return { who, count, ms: took };
  };
}
