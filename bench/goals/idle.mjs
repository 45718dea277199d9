/** Goal 5: idle teammates cost nothing, and a message wakes only its reader. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bodyOf } from '../lib/body.mjs';
import { hire, job } from '../lib/crew.mjs';
import { median, sum } from '../lib/figures.mjs';
import { processorMs, wakeUps } from '../lib/process-cost.mjs';

const GAP_MS = 20;
const LEAST = 'least/queue-durable.mjs';

export const rows = [5];

export async function measure(bench) {
  const { startTeam } = await import('../product/crew.mjs');
  const { size } = bench;
  const few = { id: '5.idle', of: 32, settleMs: size.settleMs, also: mail };
  await crowd(bench, { ...few, team: () => startTeam(place(bench, 'few'), size.idlers) });
  if (size.manyIdlers === undefined) bench.check('5.idle-200', { skipped: 'a quick run' });
  else {
    const many = { id: '5.idle-200', of: 200, settleMs: size.manySettleMs };
    await crowd(bench, { ...many, team: () => startTeam(place(bench, 'many'), size.manyIdlers) });
  }
}

function place(bench, name) {
  const dir = join(bench.dir, name);
  mkdirSync(dir);
  return dir;
}

async function crowd(bench, { id, of, settleMs, team: start, also }) {
  const { size } = bench;
  const team = await start();
  try {
    // V8 shrinks a heap once, up to 45 seconds after its last work, with 200 members on two cores later: a cost of the
    // start, not of being idle.
    await setTimeout(settleMs);
    const idle = await during(team.pids, () => setTimeout(size.idleMs));
    const share = (sum(idle.map(({ ms }) => ms)) / size.idleMs) * 100;
    bench.say(
      `${team.pids.length} idle teammates: ${share.toFixed(2)} % of one core in all${unwatched(team.pids.length)}`,
    );
    bench.check(id, { ours: (share * of) / team.pids.length });
    await also?.(bench, team, idle);
  } finally {
    await team.stop();
  }
}

/** Linux limits the processes of a user that watch files; a teammate beyond the limit wakes up once a second. */
function unwatched(size) {
  if (process.platform !== 'linux') return '';
  const most = Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'));
  return most > size ? '' : `; the system lets ${most} processes of a user watch files`;
}

async function mail(bench, team, idle) {
  const { size } = bench;
  const began = performance.now();
  const busy = await during(team.pids, async () => {
    for (let sent = 0; sent < size.wakes; sent += 1) {
      await team.send(team.names[0], `message ${sent}`);
      await setTimeout(GAP_MS);
    }
  });
  const share = (performance.now() - began) / size.idleMs;
  const more = busy.map(({ ms, wakes }, n) => ({ ms: ms - idle[n].ms * share, wakes: wakes - idle[n].wakes * share }));
  const most = Math.max(...more.map(({ wakes }) => wakes));
  const woken = more.filter(({ wakes }) => wakes > most / 4).length;
  const others = median(more.filter(({ wakes }) => wakes !== most).map(({ wakes }) => wakes));
  const cost = sum(more.map(({ ms }) => ms)) / size.wakes;
  bench.say(
    `${size.wakes} messages to one: it woke ${Math.round(most)} times more, another ${Math.round(others)} times`,
  );
  bench.check('5.woken', { ours: woken });
  bench.check('5.cpu', { ours: cost, least: await leastCost(bench) });
}

/** Of a reader with the calls of the store's rules and nothing else, for the same messages. */
async function leastCost(bench) {
  const dir = place(bench, 'least');
  const { prepare, producer } = await import(`../${LEAST}`);
  prepare(dir);
  const out = producer({ dir });
  const { wakes } = bench.size;
  return hire([job('lib/relay.mjs', 'consume', { kind: LEAST, dir })], async ([reader]) => {
    reader.tell({ who: 'ada' });
    await reader.hear(); // It is listening now.
    const before = processorMs(reader.pid);
    for (let sent = 0; sent < wakes; sent += 1) {
      out.add([bodyOf('ada@0', sent)]);
      await setTimeout(GAP_MS);
    }
    return (processorMs(reader.pid) - before) / wakes;
  });
}

/** The cost of each process while `work` ran. */
async function during(pids, work) {
  const look = () => pids.map((pid) => ({ ms: processorMs(pid), wakes: wakeUps(pid) }));
  const before = look();
  await work();
  return look().map(({ ms, wakes }, n) => ({ ms: ms - before[n].ms, wakes: wakes - before[n].wakes }));
}
