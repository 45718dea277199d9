/** Claimants on several kinds of board, one kind after the other, round after round. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hire, job, together } from './crew.mjs';

/**
 * @param {{kind: string, tasks: number}[]} entries
 * @returns {Promise<{rate: number, double: number, missed: number}[][]>} for each entry, one result per round
 */
export async function contest(entries, { rounds, dir, claimants }) {
  const results = entries.map(() => []);
  const kinds = [...new Set(entries.map(({ kind }) => kind))];
  const jobs = kinds.flatMap((kind) =>
    Array.from({ length: claimants }, (_, index) => job('lib/contest.mjs', 'claim', { kind, index })),
  );
  await hire(jobs, async (hands) => {
    const crews = new Map(kinds.map((kind) => [kind, hands.splice(0, claimants)]));
    // The first round warms up, and does not count.
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, { kind, tasks }] of inTurn([...entries.entries()], round)) {
        const result = await scramble(kind, crews.get(kind), { tasks, dir: join(dir, `contest-${round}-${index}`) });
        if (round > 0) results[index].push(result);
      }
  });
  return results;
}

const inTurn = (entries, round) => (round % 2 === 0 ? entries : entries.reverse());

async function scramble(kind, hands, { tasks, dir }) {
  const subject = await import(new URL(`../${kind}`, import.meta.url).href);
  mkdirSync(dir, { mode: 0o700 });
  await subject.prepare(dir, tasks, hands.length);
  const result = await claimAll(hands, { tasks, dir });
  rmSync(dir, { recursive: true });
  return result;
}

/** All claim at once until none of the tasks is left; `lost`: claims that another one had made before. */
export async function claimAll(hands, { tasks, dir }) {
  const results = await together(hands, { dir });
  const claimed = results.flatMap(({ ids }) => ids);
  const took = Math.max(...results.map(({ ended }) => ended)) - Math.min(...results.map(({ began }) => began));
  const different = new Set(claimed).size;
  const lost = results.reduce((sum, one) => sum + (one.lost ?? 0), 0);
  return { rate: tasks / (took / 1000), double: claimed.length - different, missed: tasks - different, lost };
}

const now = () => Number(process.hrtime.bigint()) / 1e6;

export async function claim({ kind, index }) {
  const { claimant } = await import(new URL(`../${kind}`, import.meta.url).href);
  return async ({ dir }) => {
    const mine = await claimant({ dir, index });
    const began = now();
    const ids = [];
    for (let id = await mine.next(); id !== undefined; id = await mine.next()) ids.push(id);
    const ended = now();
    const lost = mine.lost?.();
    await mine.close?.();
    return { ids, lost, began, ended };
  };
}
