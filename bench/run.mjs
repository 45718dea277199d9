/**
 * `npm run bench [-- FLAGS]`: every goal with its yardsticks, interleaved in one run. Only ratios within one run count. A
 * full run writes docs/bench/; a quick or partial one only with `--keep`.
 *
 *   --row 3,9        these rows (1 to 16, fence, manners, curves)
 *   --quick          small sizes, a few minutes
 *   --json           prints the result as JSON; all else goes to stderr
 *   --compare FILE   says what moved since a result, such as docs/bench/latest.json
 *   --keep           writes docs/bench/
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProduct, installYardsticks, ROOT } from './lib/build.mjs';
import { flagsOf } from './lib/flags.mjs';
import { GOALS } from './limits.mjs';
import { judge, keep, printChanges, printGoals, printTable, resultOf } from './lib/report.mjs';

/** Those that make files and remove few come first (below: `places`). */
const GROUPS = [
  'start',
  'whole-run',
  'delivery',
  'idle',
  'send',
  'drain',
  'claims',
  'queue',
  'manners',
  'turn',
  'fence',
  'page',
  'watch',
  'curves',
  'growth',
  'trees',
  'engine',
  'failover',
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
  settleMs: 60_000,
  idleMs: 20_000,
  wakes: 300,
  backlog: 1_000_000,
  tasks: 1_000,
  manyTasks: 10_000,
  manyIdlers: 200,
  manySettleMs: 150_000,
  mails: 1_500,
  attempts: 12,
  sharedTasks: 500,
  sharedIdlers: 8,
  failovers: 6,
  takeovers: 5,
  openedTasks: 10_000,
  manyFiles: 50_000,
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
  mails: 200,
  attempts: 4,
  sharedTasks: 60,
  sharedIdlers: 2,
  failovers: 2,
  takeovers: 1,
  openedTasks: 1_000,
  turns: 20,
  runTasks: 20,
  growthTasks: 100,
  curveWriters: [1, 4],
  backlogs: [1, 1_000, 10_000],
};

/** These compare with nothing that must be installed. */
const WITHOUT_YARDSTICKS = new Set(['5', '6', '9', '10', '11', '12', '13', '14', '15', '16', 'fence', 'manners']);

const flags = flagsOf({
  quick: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  compare: { type: 'string' },
  row: { type: 'string' },
});
const rows = [...new Set([...Object.keys(GOALS).map((id) => id.split('.')[0]), 'curves'])];
const known = new Set(rows.toSorted((one, other) => Number(one) - Number(other) || 0));
/** One sentence, and the exit code of bad input. */
const refuse = (text) => {
  console.error(text);
  process.exit(2);
};
const wanted = flags.row?.split(',');
for (const row of wanted ?? [])
  if (!known.has(row)) refuse(`There is no row ${row}; rows are ${[...known].join(', ')}.`);
const earlier = flags.compare === undefined ? undefined : resultIn(flags.compare);
const wants = (row) => wanted === undefined || wanted.includes(String(row));
const say = flags.json ? console.error : console.log;

const goals = [];
const curves = [];
const bench = {
  size: flags.quick ? QUICK : FULL,
  dir: '',
  wants,
  say: (text) => say(`  ${text}`),
  table: (title, rows) => printTable(title, rows, say),
  check: (id, measured) => goals.push(judge(id, measured)),
  curve: (curve) => curves.push(curve),
};

function resultIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refuse(`${file} is no result of the bench: ${error.message}.`);
  }
}

/** Removed at the end: where many files were removed, ext4 makes new ones slowly for a minute (docs/decisions/162-what-a-short-task-costs.md). */
const places = [];

async function measure(group) {
  const { rows, measure: run } = await import(`./goals/${group}.mjs`);
  if (!rows.some(wants)) return;
  say(`\n── ${group} (load ${loadavg()[0].toFixed(1)})`);
  bench.dir = mkdtempSync(join(tmpdir(), 'teams-bench-'));
  places.push(bench.dir);
  await run(bench);
}

if (wanted === undefined || wanted.some((row) => !WITHOUT_YARDSTICKS.has(row))) installYardsticks();
await buildProduct();
try {
  for (const group of GROUPS) await measure(group);
} finally {
  for (const place of places) rmSync(place, { recursive: true, force: true });
}
printGoals(goals, say);
const result = resultOf(goals);
if (earlier !== undefined) printChanges(goals, earlier, say);
if (flags.json) console.log(JSON.stringify(result, null, 2));
if (flags.keep || (!flags.quick && wanted === undefined)) keep(join(ROOT, 'docs'), result, curves);
