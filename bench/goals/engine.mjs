/** Goal 16: a team in a store on PostgreSQL, on two machines (two roots with a relay each), beside the same on files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { claimAll } from '../lib/contest.mjs';
import { hire, job } from '../lib/crew.mjs';
import { median, ratio, sum } from '../lib/figures.mjs';
import { end, exec, Machines, teamIn } from '../lib/machines.mjs';
import { processorMs } from '../lib/process-cost.mjs';
import { relay } from '../lib/relay.mjs';
import { FILE as LEAST_WAKE, TABLE } from '../least/wake.mjs';

const CLAIMANTS = 8;
const KIND = 'product/claim-shared.mjs';
const IDS = ['16.rate', '16.lost', '16.wake', '16.idle'];
const GAP_MS = [2, 18];

export const rows = [16];

export async function measure(bench) {
  const { hasPostgres, Postgres } = await import('../.build/postgres.mjs');
  if (!hasPostgres) {
    for (const id of IDS) bench.check(id, { skipped: 'PostgreSQL is not installed' });
    return;
  }
  const postgres = await Postgres.start();
  try {
    const makeStore = async (name, table) => {
      await postgres.query(`create database ${name}`);
      if (table !== undefined) await postgres.query(table, name);
      return postgres.url('owner', name);
    };
    const machines = new Machines(bench.dir, (name) => makeStore(name));
    await claims(bench, machines);
    await delivery(bench, machines, makeStore);
    await idle(bench, machines);
  } finally {
    await postgres.stop();
  }
}

/**
 * @param makeStore makes a database of this name, and resolves with its URL
 * @returns the p50 of as many wakes by the least program, in milliseconds
 */
async function leastWake(place, makeStore, count) {
  const dir = join(place, 'least');
  mkdirSync(dir, { recursive: true });
  const url = await makeStore(`bench_${basename(place)}`, TABLE);
  const relays = [];
  try {
    for (const role of ['deliver', 'send']) {
      const child = spawn(process.execPath, [LEAST_WAKE, role, url, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
      relays.push(child);
      await once(child.stdout, 'data');
    }
    return await wakeP50('least/wake.mjs', dir, count);
  } finally {
    for (const child of relays) await leave(child);
  }
}

/** The p50 of single messages, in milliseconds. */
async function wakeP50(kind, dir, count) {
  const [[result]] = [...(await relay([kind], { rounds: 1, dir, place: dir, count, gapMs: GAP_MS })).values()];
  if (result.audit.lost + result.audit.damaged > 0) throw new Error('Mail was lost.');
  return result.p50;
}

/** The relays of `least/wake.mjs` end with their stdin. */
async function leave(child) {
  child.stdin.end();
  await once(child, 'exit');
}

async function claims(bench, machines) {
  const { lifeOf, memberOf, storeIn } = await import('../product/claim-shared.mjs');
  const { newTaskSchema } = await import('../.build/product.mjs');
  const tasks = bench.size.sharedTasks;
  const names = Array.from({ length: CLAIMANTS }, (_, index) => memberOf(index));
  const results = { files: [], store: [] };
  const jobs = names.map((_, index) => job('lib/contest.mjs', 'claim', { kind: KIND, index }));
  const round = (isShared) =>
    machines.with(isShared, async ({ dir, roots }) => {
      const changes = Array.from({ length: tasks }, (_, at) => ({
        type: 'task.created',
        task: String(at + 1),
        fields: newTaskSchema.parse({ subject: `Task ${at + 1}` }),
      }));
      await teamIn(
        roots,
        names.map((name) => exec(name)),
        changes,
      );
      const store = storeIn(roots[0]);
      const { lead } = store.board.fold();
      const author = { person: 'lead', epoch: lead.epoch };
      const started = names.map((name, index) => ({ type: 'member.started', name, inc: lifeOf(index), after: null }));
      const { outcome } = await store.board.append(author, () => ({ type: 'batch', changes: started }));
      if (!outcome.ok) throw new Error(outcome.why);
      await store.close();
      return hire(jobs, (hands) => claimAll(hands, { tasks, dir }));
    });
  for (let at = 0; at < bench.size.rounds; at += 1)
    for (const name of at % 2 === 0 ? ['files', 'store'] : ['store', 'files'])
      results[name].push(await round(name === 'store'));
  const rates = (name) => results[name].map(({ rate }) => rate);
  const lost = (name) => results[name].map((one) => one.lost / tasks);
  bench.table(
    `${CLAIMANTS} claimants, ${tasks} tasks, as shipped`,
    Object.keys(results).map((name) => ({
      name,
      figures: {
        'tasks/s': median(rates(name)),
        '× files': ratio(rates(name), rates('files')),
        'lost a won one': median(lost(name)),
      },
      audits: results[name].map(({ double, missed }) => ({ lost: missed, damaged: 0, repeated: double })),
    })),
  );
  const holds = results.store.every(({ double, missed }) => double + missed === 0);
  bench.check('16.rate', { ours: rates('store'), theirs: rates('files'), holds });
  bench.check('16.lost', { ours: results.store.map((one) => one.lost), theirs: results.store.map(() => tasks), holds });
}

async function delivery(bench, machines, makeStore) {
  const kind = 'product/mail-shared.mjs';
  const p50 = { files: [], store: [], least: [] };
  for (let at = 0; at < bench.size.rounds; at += 1)
    for (const name of at % 2 === 0 ? ['files', 'store', 'least'] : ['least', 'store', 'files']) {
      if (name === 'least') {
        p50.least.push(await leastWake(join(bench.dir, `least_${at}`), makeStore, bench.size.deliveries));
        continue;
      }
      await machines.with(name === 'store', async ({ dir, roots }) => {
        await teamIn(roots, [exec('reader')]);
        p50[name].push(await wakeP50(kind, dir, bench.size.deliveries));
      });
    }
  const [store, files, least] = [p50.store, p50.files, p50.least].map((all) => median(all).toFixed(2));
  bench.say(`send → handler, p50: ${store} ms in a store, ${files} on files, ${least} at least`);
  bench.check('16.wake', { ours: p50.store, theirs: p50.files, least: p50.least });
}

async function idle(bench, machines) {
  const { size } = bench;
  const names = Array.from({ length: size.sharedIdlers }, (_, at) => `w${at}`);
  await machines.with(true, async ({ roots, start, relays }) => {
    await teamIn(
      roots,
      names.map((name) => exec(name)),
    );
    const workers = names.map((name, at) => start('worker', 'bench', name, '--root', roots[at % 2]));
    try {
      for (const worker of workers) worker.stdout.resume();
      await setTimeout(size.settleMs);
      if (workers.some(({ exitCode }) => exitCode !== null)) throw new Error('A worker ended.');
      const look = () => [...workers, ...relays].map(({ pid }) => processorMs(pid));
      const before = look();
      await setTimeout(size.idleMs);
      const spent = sum(look().map((ms, at) => ms - before[at]));
      bench.check('16.idle', { ours: (spent / size.idleMs / names.length) * 100 });
    } finally {
      for (const worker of workers) await end(worker);
    }
  });
}
