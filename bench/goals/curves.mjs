/** The curves: throughput by number of writers, and how a backlog slows the reader down. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../lib/figures.mjs';
import { hasYardstick } from '../lib/installed.mjs';
import { race } from '../lib/race.mjs';

const NAMES = {
  'product/send.mjs': 'teams',
  'yardsticks/v8-reference.mjs': 'v8 reference',
  'yardsticks/proper-lockfile.mjs': 'proper-lockfile',
  'yardsticks/maildir.mjs': 'Maildir',
  'yardsticks/sqlite-send.mjs': 'SQLite WAL',
};

export const rows = ['curves'];

export async function measure(bench) {
  await byWriters(bench);
  await byBacklog(bench);
}

async function byWriters(bench) {
  const { size, dir } = bench;
  const lines = new Map(
    Object.keys(NAMES)
      .filter(hasYardstick)
      .map((kind) => [kind, []]),
  );
  for (const writers of size.curveWriters) {
    const results = await race(
      [...lines.keys()].map((kind) => ({ kind })),
      { writers, ms: size.sendMs, rounds: Math.min(size.rounds, 3), dir },
    );
    for (const [kind, rounds] of results) lines.get(kind).push([writers, median(rounds.map(({ rate }) => rate))]);
  }
  bench.curve({
    file: 'throughput-by-writers.svg',
    title: 'Sending one message at a time to one inbox',
    x: 'writers',
    y: 'messages a second',
    logX: true,
    logY: true,
    lines: [...lines].map(([kind, points]) => ({ name: NAMES[kind], points })),
  });
}

/** How long the first message takes out of an inbox with this backlog, lock included. */
async function byBacklog(bench) {
  const { fill } = await import('../product/drain.mjs');
  const { readerIn } = await import('../product/team.mjs');
  const [ours, json] = [[], []];
  for (const count of bench.size.backlogs) {
    const dir = join(bench.dir, `backlog-${count}`);
    const [mine, theirs] = [[], []];
    for (let round = 0; round < 3; round += 1) {
      mkdirSync(dir);
      fill(dir, count);
      mine.push(await timed(() => readerIn(dir).take(1)));
      theirs.push(await jsonInbox(dir, count));
      rmSync(dir, { recursive: true });
    }
    ours.push([count, median(mine)]);
    json.push([count, median(theirs)]);
  }
  bench.curve({
    file: 'latency-by-backlog.svg',
    title: 'The first message out of an inbox with a backlog',
    x: 'messages waiting',
    y: 'ms',
    logX: true,
    logY: true,
    lines: [
      { name: 'teams', points: ours },
      { name: 'one JSON array, rewritten', points: json },
    ],
  });
}

/** The inbox as one JSON array: parsed, marked as read, written again. */
function jsonInbox(dir, count) {
  const file = join(dir, 'inbox.json');
  writeFileSync(
    file,
    JSON.stringify(
      Array.from({ length: count }, (_, n) => ({ from: 'ada', text: `message ${n} ${'.'.repeat(150)}`, read: false })),
    ),
  );
  return timed(() => {
    const inbox = JSON.parse(readFileSync(file, 'utf8'));
    inbox[0].read = true;
    writeFileSync(file, JSON.stringify(inbox));
  });
}

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
