/**
 * `npm run bench:hour [-- --minutes 60]`: a team that works all the time. Each second a message, each five a task, for four
 * teammates under a lead of its own. Once a minute it looks at memory, open files and files on disk: what a team that
 * lives for weeks may not do is grow. Exits with 1 if one of them grew.
 *
 * `--day` is a day in 24 minutes: all processes have clocks that run 60 times as fast (lib/fast-clocks.mjs). Each ten of
 * its seconds a message, each minute a task.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildProduct, ROOT } from './lib/build.mjs';
import { hasFastClocks, withFastClocks } from './lib/fast-clocks.mjs';
import { median } from './lib/figures.mjs';
import { flagsOf } from './lib/flags.mjs';
import { residentMb } from './lib/process-cost.mjs';

const MEMBERS = ['m0', 'm1', 'm2', 'm3'];
/** More than this from the second quarter of the time to the last is growth. */
const MOST = 1.1;

const flags = flagsOf({ minutes: { type: 'string' }, day: { type: 'boolean', default: false } });
const pace = flags.day
  ? { minutes: 24 * 60, messageEvery: 10, taskEvery: 60 }
  : { minutes: Number(flags.minutes ?? 60), messageEvery: 1, taskEvery: 5 };
if (!(pace.minutes >= 4) || (flags.day && flags.minutes !== undefined)) {
  console.error(`--minutes takes a number from 4 on, and no --day beside it; not ${flags.minutes}.`);
  process.exit(2);
}
if (!hasFastClocks()) await buildProduct();
if (flags.day && !hasFastClocks()) process.exit(await withFastClocks(60));

const seconds = pace.minutes * 60;
const { createTeam } = await import('../dist/index.js');
const { execAgent, openStore, parseName, realClock, sendMail, teamPaths } = await import('./.build/product.mjs');
const root = mkdtempSync(join(tmpdir(), 'teams-hour-'));
const members = MEMBERS.map((name) => ({ name, agent: execAgent('true') }));
const team = await createTeam('hour', { root, environment: {}, members });
const env = { PATH: process.env.PATH, HOME: process.env.HOME };
const argv = [join(ROOT, 'bin', 'teams.js'), 'lead', 'hour', '--root', root, '--quiet'];
const lead = spawn(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'inherit'] });
const store = openStore(teamPaths(root, parseName('team', 'hour')), { clock: realClock });
const rows = [];
let [sent, made] = [0, 0];
try {
  const began = performance.now();
  for (let second = 1; second <= seconds; second += 1) {
    await setTimeout(Math.max(0, began + second * 1_000 - performance.now()));
    if (second % pace.messageEvery === 0) {
      const speaker = { kind: 'person', name: 'lead', epoch: store.board.fold().lead.epoch };
      await sendMail(store, speaker, MEMBERS[sent % MEMBERS.length], `message ${second}`, { kind: 'status' });
      sent += 1;
    }
    if (second % pace.taskEvery === 0) {
      await team.board.add({ subject: `Task ${second}` });
      made += 1;
    }
    if (second % 60 === 0) rows.push(look(second / 60));
  }
  await setTimeout(2_000 * (flags.day ? 60 : 1));
} finally {
  lead.kill('SIGTERM');
  await once(lead, 'exit');
}
const done = [...store.board.fold().tasks.values()].filter(({ status }) => status === 'completed').length;
await store.close();
rmSync(root, { recursive: true, force: true });
process.exitCode = judge();

/** Memory and open files are sums of all processes of the team; files without those that each task has. */
function look(minute) {
  const pids = [...new Set([lead.pid, ...store.roster.all().flatMap(({ pid }) => pid ?? [])])].filter(isAlive);
  const row = {
    minute,
    processes: pids.length,
    mb: pids.reduce((total, pid) => total + residentMb(pid), 0),
    'open files': pids.reduce((total, pid) => total + readdirSync(`/proc/${pid}/fd`).length, 0),
    'team files': readdirSync(join(root, '.teams', 'hour'), { recursive: true }).length - filesOfTasks(),
    load: loadavg()[0],
  };
  if (!flags.day || minute % 30 === 0) tell(row);
  return row;
}

function tell(row) {
  console.log(
    Object.entries(row)
      .map(([name, value]) => `${name} ${Number.isInteger(value) ? value : value.toFixed(1)}`)
      .join('  '),
  );
}

function isAlive(pid) {
  try {
    readFileSync(`/proc/${pid}/stat`);
    return true;
  } catch {
    return false;
  }
}

/** The results of attempts are kept: a file a task and a view of it. */
function filesOfTasks() {
  try {
    return readdirSync(join(root, '.teams', 'hour', 'results'), { recursive: true }).length;
  } catch {
    return 0;
  }
}

function judge() {
  const quarter = Math.floor(rows.length / 4);
  const [early, late] = [rows.slice(quarter, 2 * quarter), rows.slice(-quarter)];
  let isFlat = true;
  for (const what of ['processes', 'mb', 'open files', 'team files']) {
    const [before, after] = [early, late].map((part) => median(part.map((row) => row[what])));
    const grew = after / before;
    isFlat &&= grew <= MOST;
    console.log(
      `${what}: ${before.toFixed(1)} → ${after.toFixed(1)}, × ${grew.toFixed(2)}${grew <= MOST ? '' : '  GROWS'}`,
    );
  }
  console.log(`${sent} messages, ${made} tasks, ${done} of them completed.`);
  return isFlat && done === made ? 0 : 1;
}
