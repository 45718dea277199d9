/**
 * `npm run bench [-- --quick] [--only 3,9] [--keep]`: every performance goal with its yardsticks, interleaved in one
 * run. Only ratios within one run count. A full run writes docs/bench/; a quick or partial one only with `--keep`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProduct, installYardsticks, ROOT } from './lib/build.mjs';
import { judge, keep, printGoals, printTable } from './lib/report.mjs';

const GROUPS = [
  'send',
  'delivery',
  'idle',
  'drain',
  'claims',
  'queue',
  'start',
  'whole-run',
  'manners',
  'turn',
  'fence',
  'page',
  'watch',
  'curves',
  'growth',
];

const FULL = {
  rounds: 5,
  sendMs: 1_000,
  deliveries: 300,
  queueMs: 1_000,
  fairMs: 3_000,
  loopMs: 8_000,
  starts: 25,
  watchMs: 15_000,
  idlers: 32,
  settleMs: 25_000,
  idleMs: 20_000,
  wakes: 300,
  backlog: 1_000_000,
  tasks: 1_000,
  manyTasks: 10_000,

  turns: 100,
  runTasks: 200,
  growthTasks: 1_000,
  curveWriters: [1, 2, 4, 8, 16, 32],
  backlogs: [1, 100, 10_000, 100_000, 1_000_000],
  page: { members: 50, tasks: 5_000, messages: 100_000 },
};
const QUICK = {
  rounds: 2,
  sendMs: 200,
  deliveries: 60,
  queueMs: 250,
  fairMs: 500,
  loopMs: 2_000,
  starts: 5,
  watchMs: 8_000,
  page: { members: 50, tasks: 1_000, messages: 10_000 },
  idlers: 4,
  settleMs: 2_000,
  idleMs: 3_000,
  wakes: 50,
  backlog: 20_000,
  tasks: 100,
  manyTasks: 1_000,
  turns: 20,
  runTasks: 20,
  growthTasks: 100,
  curveWriters: [1, 4],
  backlogs: [1, 1_000, 10_000],
};

const BUDGETS = new Set(['page', 'watch', 'turn', 'fence']);

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
const only = flags.only?.split(',');
const wants = (id) => only === undefined || only.includes(id);

const goals = [];
const curves = [];
const bench = {
  size: flags.quick ? QUICK : FULL,
  dir: '',
  wants,
  say: (text) => console.log(`  ${text}`),
  table: printTable,
  check: (goal) => goals.push(judge(goal)),
  curve: (curve) => curves.push(curve),
};

async function measure(group) {
  const { ids, measure: run } = await import(`./goals/${group}.mjs`);
  if (!ids.some(wants)) return;
  console.log(`\n── ${group} (load ${loadavg()[0].toFixed(1)})`);
  bench.dir = mkdtempSync(join(tmpdir(), 'teams-bench-'));
  try {
    await run(bench);
  } finally {
    rmSync(bench.dir, { recursive: true, force: true });
  }
}

// These have a budget, and no yardstick to install.
if (only === undefined || only.some((id) => !BUDGETS.has(id))) installYardsticks();
await buildProduct();
for (const group of GROUPS) await measure(group);
printGoals(goals);
if (flags.keep || (!flags.quick && only === undefined)) keep(join(ROOT, 'docs', 'bench'), goals, curves);
