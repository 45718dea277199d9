/** Goal 9: how long a process takes to start, and how much memory it holds, compared with an empty program in Node. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../lib/build.mjs';
import { median, ratio } from '../lib/figures.mjs';
import { proportionalMb, residentMb } from '../lib/process-cost.mjs';

const SETTLED_MS = 1_500;
const OURS = join(ROOT, 'bin', 'teammate.cjs');
const LEAST = fileURLToPath(new URL('../least/teammate.cjs', import.meta.url));

/** An empty environment: Node's own work for variables (reading certificates, say) belongs to neither side. */
const env = { PATH: process.env.PATH };

export const rows = [9];

export async function measure(bench) {
  const { makeTeam } = await import('../.build/product.mjs');
  const place = (name, tasks) => {
    const root = join(bench.dir, name);
    mkdirSync(root);
    const changes = Array.from({ length: tasks }, (_, n) => ({
      type: 'task.created',
      task: String(n + 1),
      fields: fieldsOf(n),
    }));
    const handle = makeTeam(
      'bench',
      { members: [{ name: 'ada', agent: { kind: 'exec' } }], changes },
      { root, environment: {} },
    );
    return { root, paths: handle.paths };
  };
  const empty = join(bench.dir, 'empty.cjs');
  writeFileSync(empty, '');
  const few = place('few', 20);
  const teams = (...argv) => untilExit([join(ROOT, 'bin', 'teams.js'), ...argv]);
  const subjects = {
    empty: () => untilExit([empty]),
    version: () => teams('--version'),
    // Not part of a goal: the cost of each call for an agent that is a command.
    send: () => teams('send', 'bench', 'ada', 'hello', '--root', few.root),
    status: () => teams('status', 'bench', '--root', few.root),
    teammate: teammateStart(few),
    least: teammateStart(place('least', 20), LEAST),
    teammateOfMany: teammateStart(place('many', 1_000)),
  };
  await startAll(bench, subjects);
  await compareMemory(bench, place('memory', 0), place('least-memory', 0));
}

/** A task that no member of this team may take, so that only the board is longer. */
const fieldsOf = (n) => ({
  subject: `Task ${n}`,
  description: '',
  blockedBy: [],
  owner: 'lead',
  work: { files: [], verify: [], env: {} },
  retries: 0,
  required: true,
  metadata: {},
});

async function startAll(bench, subjects) {
  const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < bench.size.starts; round += 1)
    for (const [name, start] of Object.entries(subjects)) times[name].push(await start());
  const lines = Object.entries(times).map(([name, all]) => ({
    name,
    figures: { 'p50 ms': median(all), '× empty': ratio(all, times.empty) },
  }));
  bench.table('Starts', lines);
  bench.check('9.teammate', { ours: times.teammate, theirs: times.empty, least: times.least });
  bench.check('9.version', { ours: times.version, theirs: times.empty });
}

async function untilExit(argv) {
  const began = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' });
  await once(child, 'exit');
  return performance.now() - began;
}

const spawnTeammate = (root, program = OURS) =>
  spawn(process.execPath, [program, root, 'bench', 'ada'], {
    env,
    stdio: ['pipe', 'ignore', 'inherit'],
  });

/** Waits until its process record says that it runs. */
const teammateStart =
  ({ root, paths }, program) =>
  async () => {
    const watched = watch(paths.processes);
    const began = performance.now();
    const child = spawnTeammate(root, program);
    await new Promise((resolve) => watched.on('change', () => isRunning(paths, child.pid) && resolve()));
    const took = performance.now() - began;
    watched.close();
    await end(child);
    return took;
  };

function isRunning(paths, pid) {
  try {
    const record = JSON.parse(readFileSync(paths.process('ada'), 'utf8'));
    return record.phase === 'running' && record.pid === pid;
  } catch {
    return false; // Not there yet.
  }
}

async function end(child) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function compareMemory(bench, { root }, other) {
  const idle = join(bench.dir, 'idle.cjs');
  writeFileSync(idle, 'setInterval(() => {}, 1_000);');
  const [ours, shares, empty, least] = [[], [], [], []];
  for (let round = 0; round < bench.size.rounds; round += 1) {
    const children = [
      spawnTeammate(root),
      spawn(process.execPath, [idle], { env, stdio: 'ignore' }),
      spawnTeammate(other.root, LEAST),
    ];
    await setTimeout(SETTLED_MS);
    [ours, empty, least].forEach((all, at) => all.push(residentMb(children[at].pid)));
    shares.push(proportionalMb(children[0].pid));
    await Promise.all(children.map(end));
  }
  bench.say(`an idle teammate: ${median(ours).toFixed(1)} MB; an empty Node: ${median(empty).toFixed(1)} MB`);
  bench.check('9.pss', { ours: median(shares) });
  bench.check('9.rss', { ours, theirs: empty, least });
}
