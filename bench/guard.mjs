/**
 * `npm run bench:guard [-- --against REF]`: this working tree beside the commit before (or REF), on six rows, in turn, A B
 * B A …, in under three minutes. Says which row moved by more than its noise; exits with 1 if one became slower.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './lib/build.mjs';
import { median, quantile, short } from './lib/figures.mjs';
import { flagsOf } from './lib/flags.mjs';
import { processorTime, wallTime } from './lib/timed-program.mjs';

const BUDGET_MS = 150_000;
const LEAST_ROUNDS = 3;
/** Less than this is not worth a word, however sure it is. */
const SMALLEST = 0.03;
const RESAMPLES = 2_000;

const flags = flagsOf({ against: { type: 'string', default: 'HEAD' } });
const git = (...argv) =>
  execFileSync('git', ['-C', ROOT, ...argv], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** A clean tree is compared with the commit before it. */
const against =
  flags.against === 'HEAD' && git('status', '--porcelain', '--untracked-files=no') === '' ? 'HEAD~1' : flags.against;

try {
  git('rev-parse', '--verify', `${against}^{commit}`);
} catch {
  console.error(`${against} is no commit of this repository.`);
  process.exit(2);
}
const place = mkdtempSync(join(tmpdir(), 'teams-guard-'));

function builtAt(ref) {
  const checkout = join(place, 'before');
  git('worktree', 'add', '--quiet', '--detach', checkout, ref);
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}

const build = (checkout) =>
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] });

/** A checkout with a team of its own, and the six rows as programs. */
async function subject(checkout, name) {
  const teams = join(checkout, 'bin', 'teams.js');
  const root = join(place, name);
  mkdirSync(root);
  const run = (...argv) => [teams, ...argv, '--root', root];
  await wallTime(run('create', 'bench', '--member', 'ada'));
  for (let n = 0; n < 20; n += 1) await wallTime(run('task', 'create', 'bench', `Task ${n}`));
  const plan = join(root, 'plan.json');
  const tasks = Array.from({ length: 40 }, (_, n) => ({ subject: `Task ${n}`, run: 'true' }));
  const members = ['m1', 'm2'].map((member) => ({ name: member, agent: { kind: 'exec' } }));
  writeFileSync(plan, JSON.stringify({ name: 'whole', members, tasks }));
  return {
    'teams --version': () => processorTime([teams, '--version']),
    'teams send': () => processorTime(run('send', 'bench', 'ada', 'hello')),
    'teams status': () => processorTime(run('status', 'bench')),
    'task claim and release': async () =>
      (await processorTime(run('task', 'claim', 'bench', '7'))) +
      (await processorTime(run('task', 'release', 'bench', '7'))),
    'teams why': () => processorTime(run('why', 'bench', '7')),
    'a run of 40 × true': () => wallTime(run('run', plan, '--quiet', '--fresh')),
  };
}

/** The middle of the ratios of all rounds, and where it is with 95 of 100. */
function moved(now, before) {
  const ratios = now.map((value, round) => value / before[round]);
  const pick = () => ratios[Math.floor(Math.random() * ratios.length)];
  const middles = Array.from({ length: RESAMPLES }, () => median(ratios.map(pick)));
  return { ratio: median(ratios), low: quantile(middles, 0.025), high: quantile(middles, 0.975) };
}

function verdict({ ratio, low, high }) {
  if (Math.abs(ratio - 1) < SMALLEST || (low <= 1 && 1 <= high)) return 'within noise';
  return ratio > 1 ? 'SLOWER' : 'faster';
}

process.once('exit', () => {
  try {
    git('worktree', 'remove', '--force', join(place, 'before'));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const began = performance.now();
const checkout = builtAt(against);
build(checkout);
build(ROOT);
const [now, before] = [await subject(ROOT, 'now'), await subject(checkout, 'then')];
const times = Object.fromEntries(Object.keys(now).map((row) => [row, { now: [], before: [] }]));
console.log(`${git('describe', '--always', '--dirty')} beside ${git('rev-parse', '--short', against)}`);
let rounds = 0;
while (rounds < LEAST_ROUNDS || performance.now() - began < BUDGET_MS) {
  for (const [row, seen] of Object.entries(times)) {
    const pair = [async () => seen.now.push(await now[row]()), async () => seen.before.push(await before[row]())];
    for (const measure of rounds % 2 === 0 ? pair : pair.toReversed()) await measure();
  }
  rounds += 1;
}
let slower = 0;
for (const [row, seen] of Object.entries(times)) {
  const change = moved(seen.now, seen.before);
  const said = verdict(change);
  if (said === 'SLOWER') slower += 1;
  console.log(
    `  ${row.padEnd(24)} ${short(median(seen.before)).padStart(6)} → ${short(median(seen.now)).padStart(6)} ms  × ${change.ratio.toFixed(3)} (${change.low.toFixed(3)} to ${change.high.toFixed(3)})  ${said}`,
  );
}
console.log(`${rounds} rounds, load ${loadavg()[0].toFixed(1)}; ${slower} of 6 rows slower.`);
process.exitCode = slower === 0 ? 0 : 1;
