/** Goal 12: a verb whose answer does not grow costs the same on a board of any size, and the lead is soon ready. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../lib/build.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { residentMb } from '../lib/process-cost.mjs';

export const ids = ['12'];

const env = { PATH: process.env.PATH, HOME: process.env.HOME };
const SIZES = [100, 10_000, 100_000];

export async function measure(bench) {
  const product = await import('../.build/product.mjs');
  const teams = [];
  for (const tasks of SIZES) teams.push(await teamOf(bench, product, tasks));
  // In this order, once a round: a claim that is released, then the oldest pending task is claimed and completed.
  const verbs = {
    send: () => ['send', 'bench', 'ada', 'hello'],
    status: () => ['status', 'bench'],
    'task get': () => ['task', 'get', 'bench', '77'],
    'task create': () => ['task', 'create', 'bench', 'One more'],
    'task claim': () => ['task', 'claim', 'bench', '50'],
    'task release': () => ['task', 'release', 'bench', '50'],
    'task claim --next': () => ['task', 'claim', 'bench', '--next'],
    'task complete': (round) => ['task', 'complete', 'bench', String(round + 1), '--result', 'done'],
    why: () => ['why', 'bench', '77'],
    'why of the team': () => ['why', 'bench'],
  };
  const times = Object.fromEntries(Object.keys(verbs).map((verb) => [verb, teams.map(() => [])]));
  for (let round = 0; round < Math.min(bench.size.starts, 45); round += 1)
    for (const [verb, argv] of Object.entries(verbs))
      for (const [at, { root }] of teams.entries())
        times[verb][at].push(await untilExit([...argv(round), '--root', root]));
  const rows = Object.entries(times).map(([name, all]) => ({
    name,
    figures: Object.fromEntries([
      ...SIZES.map((size, at) => [`${size} ms`, median(all[at])]),
      ...SIZES.slice(1).map((size, at) => [`${size} ×`, ratio(all[at + 1], all[0])]),
    ]),
  }));
  bench.table('Verbs on boards of 100, 10,000 and 100,000 tasks', rows);
  for (const [verb, all] of Object.entries(times))
    bench.check({
      id: `12.${verb.replaceAll(/[ -]+/g, '-')}`,
      goal: `${verb} at 100,000 tasks ≤ 1.5 × at 100`,
      ratio: ratio(all.at(-1), all[0]),
      atMost: 1.5,
    });
  await leads(bench, teams);
}

/** A team whose log has one record a task: the work of weeks, not of one plan. */
async function teamOf(bench, { makeTeam, indexEvents }, tasks) {
  const root = join(bench.dir, `growth-${tasks}`);
  mkdirSync(root);
  const handle = makeTeam('bench', { members: [{ name: 'ada', agent: { kind: 'exec' } }] }, { root, environment: {} });
  const { paths } = handle;
  const author = { person: 'lead', epoch: handle.store.board.fold().lead.epoch };
  const events = [];
  for (let n = 1; n <= tasks; n += 1)
    for (const type of ['agent.turn_ended', 'agent.printed', 'lead.decided'])
      events.push(
        `\n${JSON.stringify({ at: AT, type, member: 'ada', task: String(n), text: 'As it was in weeks of work.' })}\n`,
      );
  appendFileSync(paths.events, events.join(''));
  // A lead does it between its other work.
  Array.from(indexEvents(handle.store));
  await handle[Symbol.asyncDispose]();
  const text = [readFileSync(paths.log, 'utf8')];
  for (let n = 1; n <= tasks; n += 1)
    text.push(`\n${JSON.stringify({ id: idOf(n), v: 1, at: AT, author, type: 'task.created', ...task(n) })}\n`);
  writeFileSync(paths.log, text.join(''));
  // The first verb that folds the whole log writes the checkpoint.
  const first = await untilExit(['send', 'bench', 'ada', 'first', '--root', root]);
  bench.say(
    `${tasks} tasks: ${(statSync(paths.log).size / 1e6).toFixed(1)} MB; the first send ${Math.round(first)} ms, checkpoint ${sizeOf(paths.checkpoint)} MB`,
  );
  return { root, paths };
}

const sizeOf = (path) => ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6).toFixed(1);
const AT = '2026-01-01T00:00:00.000Z';
const idOf = (n) => `01KA0000000000000${String(n).padStart(9, '0')}`;
const task = (n) => ({
  task: String(n),
  fields: {
    subject: `Task ${n} of a long history`,
    description: '',

    blockedBy: [],
    work: { files: [], verify: [], env: {} },
    retries: 0,
    required: true,
    metadata: {},
  },
});

async function untilExit(argv) {
  const began = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'teams.js'), ...argv], { env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`teams ${argv.join(' ')} ended with ${code}`);
  return performance.now() - began;
}

/** How long a lead takes until it has the team, and its memory then. */
async function leads(bench, teams) {
  const rows = [];
  for (const [at, { root, paths }] of teams.entries()) {
    const began = performance.now();
    const child = spawn(process.execPath, [join(ROOT, 'bin', 'teams.js'), 'lead', 'bench', '--root', root], {
      env,
      stdio: 'ignore',
    });
    while (child.exitCode === null && !existsSync(paths.state)) await setTimeout(20);
    const ready = performance.now() - began;
    const memory = child.exitCode === null ? residentMb(child.pid) : Number.NaN;
    rows.push({ name: `${SIZES[at]} tasks`, figures: { 'ready ms': ready, 'resident MB': memory } });
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  bench.table('Leads', rows);
  const { figures } = rows.at(-1);
  bench.check({
    id: '12.lead-ready',
    goal: 'a lead of 100,000 tasks is ready in 2 s',
    ratio: figures['ready ms'] / 2_000,
    atMost: 1,
  });
  bench.check({ id: '12.lead-memory', goal: 'and has 200 MB', ratio: figures['resident MB'] / 200, atMost: 1 });
}
