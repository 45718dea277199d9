/**
 * Row 15: what a tree of a member's own adds to a run, and what a change costs to land. Two runs of the same plan, with
 * trees and without, in a project of 1,500 and of 50,000 files; beside them `git merge` of a change of the same size.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../lib/build.mjs';
import { median } from '../lib/figures.mjs';
import { isInstalled } from '../lib/installed.mjs';

const FOLDER = 100;

export const rows = [15];

export async function measure(bench) {
  const ids = ['15.attempt', '15.attempt-50k', '15.land', '15.first', '15.first-50k'];
  if (!isInstalled('git')) {
    for (const id of ids) bench.check(id, { skipped: 'git is not installed' });
    return;
  }
  const few = await compare(bench, 1_500, bench.size.rounds);
  bench.check('15.attempt', { ours: few.attempt });
  bench.check('15.first', { ours: few.first });
  bench.check('15.land', { ours: few.landings, theirs: few.merges });
  if (bench.size.manyFiles === undefined) {
    for (const id of ['15.attempt-50k', '15.first-50k']) bench.check(id, { skipped: 'a quick run' });
    return;
  }
  const many = await compare(bench, bench.size.manyFiles, Math.min(3, bench.size.rounds));
  bench.check('15.attempt-50k', { ours: many.attempt });
  bench.check('15.first-50k', { ours: many.first });
}

async function compare(bench, files, rounds) {
  const seen = { attempt: [], first: [], landings: [], merges: [] };
  for (let round = 0; round < rounds; round += 1) {
    const at = projectOf(join(bench.dir, `project-${files}-${round}`), files);
    const off = await ran(at, 'off', bench.size.attempts);
    const trees = await ran(at, 'trees', bench.size.attempts);
    seen.attempt.push(median(trees.attempts) - median(off.attempts));
    seen.first.push(trees.untilClaim - off.untilClaim);
    seen.landings.push(median(trees.landings));
    seen.merges.push(merged(at));
  }
  const of = Object.fromEntries(Object.entries(seen).map(([name, all]) => [name, median(all)]));
  bench.say(
    `${files} files: an attempt ${of.attempt.toFixed(0)} ms more, a landing ${of.landings.toFixed(0)} ms, git merge ${of.merges.toFixed(0)} ms; ${of.first.toFixed(0)} ms more until the first claim`,
  );
  return { attempt: of.attempt, first: of.first, landings: seen.landings, merges: seen.merges };
}

const git = (cwd, ...argv) =>
  execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@here', ...argv], { cwd, stdio: 'pipe' });

function projectOf(at, files) {
  mkdirSync(at);
  for (let n = 0; n < files; n += 1) {
    const folder = join(at, `part-${Math.floor(n / FOLDER)}`);
    if (n % FOLDER === 0) mkdirSync(folder);
    writeFileSync(join(folder, `file-${n}.txt`), `This is file ${n}.\n`.repeat(20));
  }
  git(at, 'init', '-q', '-b', 'main');
  git(at, 'add', '-A');
  git(at, 'commit', '-q', '-m', 'All files');
  return at;
}

/** One member, one task after the other; each changes a file. */
async function ran(at, isolation, tasks) {
  const name = `bench-${isolation}`;
  const plan = {
    name,
    isolation,
    members: [{ name: 'ada', agent: { kind: 'exec' } }],
    tasks: Array.from({ length: tasks }, (_, n) => ({
      subject: `Task ${n}`,
      run: `echo ${isolation} >>part-${n % 10}/file-${(n % 10) * FOLDER + n}.txt`,
      owner: 'ada',
    })),
  };
  writeFileSync(join(at, '.git', `${name}.json`), JSON.stringify(plan));
  const began = Date.now();
  const argv = [join(ROOT, 'bin', 'teams.js'), 'run', join('.git', `${name}.json`), '--quiet'];
  const child = spawn(process.execPath, argv, { cwd: at, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`A run with isolation ${isolation} ended with ${code}.`);
  const events = readFileSync(join(at, '.tasks', name, 'log.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const when = (type) =>
    new Map(events.flatMap((event) => (event.type === type ? [[event.task, Date.parse(event.at)]] : [])));
  const [claimed, submitted, completed, landed] = [
    'task.claimed',
    'task.submitted',
    'task.completed',
    'task.landed',
  ].map(when);
  const ended = isolation === 'off' ? completed : submitted;
  return {
    attempts: [...ended].map(([task, time]) => time - claimed.get(task)),
    landings: [...landed].map(([task, time]) => time - submitted.get(task)),
    untilClaim: Math.min(...claimed.values()) - began,
  };
}

/** @returns milliseconds that git takes to merge a branch with one change */
function merged(at) {
  git(at, 'stash', '-q');
  const times = [];
  for (let n = 0; n < 5; n += 1) {
    git(at, 'checkout', '-q', '-b', `side-${n}`);
    writeFileSync(join(at, 'part-0', `file-${n}.txt`), `changed ${n}\n`);
    git(at, 'commit', '-q', '-a', '-m', `Side ${n}`);
    git(at, 'checkout', '-q', 'main');
    const began = performance.now();
    git(at, 'merge', '-q', '--no-ff', '-m', `Merge ${n}`, `side-${n}`);
    times.push(performance.now() - began);
  }
  return median(times);
}
