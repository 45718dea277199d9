/**
 * One process adds, another processes: the throughput in batches, or the delay of single messages. Round after round.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { audit, bodyOf } from './body.mjs';
import { hire, job } from './crew.mjs';
import { quantile } from './figures.mjs';

/** After this long without a message, the relay counts as stuck. */
const PATIENCE_MS = 2_500;

/**
 * @param {string[]} kinds modules with `producer`, `consumer` and `prepare`
 * @param {{rounds: number, dir: string, batch?: number, ms?: number, count?: number, gapMs?: number[]}} shape batches
 * for `ms` milliseconds, or `count` single messages with random gaps
 */
export async function relay(kinds, { rounds, dir, ...shape }) {
  const results = new Map(kinds.map((kind) => [kind, []]));
  const places = [];
  for (let round = 0; round < rounds; round += 1)
    for (const kind of round % 2 === 0 ? kinds : [...kinds].reverse()) {
      const place = join(dir, `${round}-${kind.replaceAll(/\W/g, '-')}`);
      results.get(kind).push(await pass(kind, { ...shape, dir: place, id: `${process.pid}-${Date.now()}` }));
      // What is removed now makes the files of the next one dear; what was written in batches would fill the disk.
      if (shape.count === undefined) rmSync(place, { recursive: true, force: true });
      else places.push(place);
    }
  for (const place of places) rmSync(place, { recursive: true, force: true });
  return results;
}

async function pass(kind, shape) {
  const subject = await import(new URL(`../${kind}`, import.meta.url).href);
  mkdirSync(shape.dir, { mode: 0o700 });
  await subject.prepare?.(shape.dir, shape);
  const options = { kind, ...shape };
  const jobs = [job('lib/relay.mjs', 'consume', options), job('lib/relay.mjs', 'produce', options)];
  return hire(jobs, async ([consumer, producer]) => {
    await leg(consumer, producer, 'warm'); // Does not count.
    return leg(consumer, producer, 'ada');
  });
}

async function leg(consumer, producer, who) {
  consumer.tell({ who });
  await consumer.hear(); // It is listening now.
  producer.tell({ who });
  const { began, count } = await producer.hear();
  consumer.tell(count);
  const { took, delays, tally } = await consumer.hear();
  return { count, audit: tally, rate: count / ((took - began) / 1000), ...delays };
}

/** Milliseconds of a clock that all processes of this boot share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

export async function produce({ kind, batch = 1, ms, count: most = Number.POSITIVE_INFINITY, gapMs, ...place }) {
  const subject = await import(new URL(`../${kind}`, import.meta.url).href);
  const out = await subject.producer(place);
  return async ({ who }) => {
    const began = now();
    let count = 0;
    const isOver = () => (ms === undefined ? count >= most : now() - began >= ms);
    for (; !isOver(); count += batch) {
      const bodies = Array.from({ length: batch }, (_, n) => bodyOf(`${who}@${now()}`, count + n));
      await out.add(bodies);
      if (gapMs) await setTimeout(gapMs[0] + Math.random() * (gapMs[1] - gapMs[0]));
    }
    return { began, count };
  };
}

/** `ada@123.4 7 …` → the body of ada, and when it was made. */
function unstamp(body) {
  const [, who, at, rest] = /^(\w+)@([\d.]+) (.*)$/s.exec(body ?? '') ?? [];
  return { at: Number(at), body: `${who} ${rest}` };
}

/** The bodies are only kept, with the time: what is in them is looked at when all are there, or it would be measured. */
export async function consume({ kind, ...place }) {
  const subject = await import(new URL(`../${kind}`, import.meta.url).href);
  let seen = { bodies: [], times: [] };
  const inbox = await subject.consumer(place, (body) => {
    seen.bodies.push(body);
    seen.times.push(now());
  });
  await inbox.start();
  return async ({ who }, { told, say }) => {
    const mine = (seen = { bodies: [], times: [] });
    await say('listening');
    const count = Number(await told());
    const toldAt = now();
    const last = () => mine.times.at(-1) ?? toldAt;
    while (mine.bodies.length < count && now() - Math.max(last(), toldAt) < PATIENCE_MS) await setTimeout(5);
    const found = mine.bodies.map(unstamp);
    const delays = found.map(({ at }, n) => mine.times[n] - at);
    return {
      took: last(),
      tally: audit(
        found.map(({ body }) => body),
        [{ who, count }],
      ),
      delays: { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99) },
    };
  };
}
