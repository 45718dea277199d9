/**
 * Goal 10: whole runs. 200 tasks that do nothing, compared with GNU parallel; a thousand, to see whether later tasks
 * cost more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../lib/build.mjs';
import { median } from '../lib/figures.mjs';
import { isInstalled } from '../lib/installed.mjs';

const HANDS = 4;

export const rows = [10];

export async function measure(bench) {
  const { size, dir } = bench;
  const hasParallel = isInstalled('parallel');
  const [ours, theirs, least] = [[], [], []];
  for (let round = 0; round < size.rounds; round += 1) {
    ours.push((await runPlan(join(dir, `run-${round}`), size.runTasks)).ms);
    least.push(await runLeast(join(dir, `least-${round}`), size.runTasks));
    if (hasParallel) theirs.push(await runParallel(dir, size.runTasks));
  }
  bench.say(
    `${size.runTasks} × true: teams ${Math.round(median(ours))} ms, the least ${Math.round(median(least))} ms, ${hasParallel ? `parallel ${Math.round(median(theirs))} ms` : 'no parallel'}`,
  );
  bench.check('10.parallel', hasParallel ? { ours, theirs, least } : { skipped: 'parallel is not installed' });
  await growth(bench);
}

async function growth(bench) {
  const { size, dir } = bench;
  const { finished } = await runPlan(join(dir, 'growth'), size.growthTasks);
  const part = size.growthTasks / 10;
  const spans = Array.from({ length: 10 }, (_, n) => (finished[(n + 1) * part - 1] - finished[n * part]) / (part - 1));
  bench.curve({
    file: 'cost-per-task.svg',
    title: `Cost of a task in a run of ${size.growthTasks}, ${HANDS} exec teammates`,
    x: 'tasks done',
    y: 'ms a task',
    lines: [{ name: 'teams run', points: spans.map((span, n) => [(n + 1) * part, span]) }],
  });
  bench.check('10.growth', { ours: [spans.at(-1)], theirs: [spans[0]] });
}

/** @returns how long all tasks took, and when each was completed */
async function runPlan(root, tasks) {
  mkdirSync(root);
  const members = Array.from({ length: HANDS }, (_, n) => ({ name: `m${n}`, agent: { kind: 'exec' } }));
  const plan = {
    name: 'bench',
    members,
    tasks: Array.from({ length: tasks }, (_, n) => ({ key: `t${n}`, subject: `Task ${n}`, run: 'true' })),
  };
  // The file may contain JSON, because JSON is YAML.
  writeFileSync(join(root, 'plan.yaml'), JSON.stringify(plan));
  const began = performance.now();
  const argv = [join(ROOT, 'bin', 'teams.js'), 'run', 'plan.yaml', '--quiet'];
  const code = await exitOf(spawn(process.execPath, argv, { cwd: root, stdio: 'ignore' }));
  const ms = performance.now() - began;
  const finished = completions(root);
  if (code !== 0 || finished.length !== tasks)
    throw new Error(`A run of ${tasks} ended with ${code}, ${finished.length} done.`);
  return { ms, finished };
}

function completions(root) {
  const text = readFileSync(join(root, '.tasks', 'bench', 'log.jsonl'), 'utf8');
  const events = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return events.filter(({ type }) => type === 'task.completed').map(({ at }) => Date.parse(at));
}

/** With the calls of the store's rules and nothing else. */
async function runLeast(root, tasks) {
  mkdirSync(root);
  const began = performance.now();
  const argv = [join(ROOT, 'bench/least/run.mjs'), root, String(tasks)];
  const code = await exitOf(spawn(process.execPath, argv, { stdio: 'inherit' }));
  if (code !== 0) throw new Error(`The least run ended with ${code}.`);
  return performance.now() - began;
}

async function runParallel(dir, tasks) {
  const began = performance.now();
  const words = Array.from({ length: tasks }, (_, n) => String(n));
  const code = await exitOf(
    spawn('parallel', ['-j4', 'true', ':::', ...words], {
      cwd: dir,
      stdio: 'ignore',
      env: { ...process.env, HOME: dir },
    }),
  );
  if (code !== 0) throw new Error(`parallel ended with ${code}.`);
  return performance.now() - began;
}

const exitOf = async (child) => (await once(child, 'exit'))[0];
