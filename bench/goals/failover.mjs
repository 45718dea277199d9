/** Goal 16, what fails: a standby is promoted, a machine is lost, a machine opens a team anew. */
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hire, job, once as oneOf, together } from '../lib/crew.mjs';
import { median } from '../lib/figures.mjs';
import { end, exec, logOf, Machines, teamIn, until } from '../lib/machines.mjs';

const IDS = ['16.promotion', '16.takeover', '16.cold-open'];
/** The writers work before the primary fails, and a while after the standby was promoted. */
const BEFORE_MS = 1_000;
const UNNOTICED_MS = 1_000;
const AFTER_MS = 10_000;

export const rows = [16];

export async function measure(bench) {
  const { EnginePair, hasPostgres, Networks } = await import('../.build/postgres.mjs');
  if (!hasPostgres) {
    for (const id of IDS) bench.check(id, { skipped: 'PostgreSQL is not installed' });
    return;
  }
  const pair = await EnginePair.start(Networks.none());
  try {
    const machines = new Machines(bench.dir, async (name) => {
      await pair.ask(`create database ${name}`);
      return pair.url(name);
    });
    await promotions(bench, machines, pair);
    await takeovers(bench, machines);
    await coldOpens(bench, machines);
  } finally {
    await pair.stop();
  }
}

/** Milliseconds of a clock that all processes of this boot share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** In turn the primary is killed, and stands still: it keeps its connections, and says nothing. */
async function promotions(bench, machines, pair) {
  const waits = { killed: [], silent: [] };
  await machines.with(true, async ({ roots }) => {
    await teamIn(roots, [exec('ada')]);
    const jobs = roots.map((root) => job('product/append-shared.mjs', 'append', { root }));
    await hire(jobs, async (hands) => {
      for (let round = 0; round < bench.size.failovers; round += 1) {
        const how = round % 2 === 0 ? 'killed' : 'silent';
        const told = together(hands, { ms: BEFORE_MS + UNNOTICED_MS + AFTER_MS });
        await setTimeout(BEFORE_MS);
        if (how === 'killed') await pair.primary.kill();
        else pair.primary.signal('SIGSTOP');
        await setTimeout(UNNOTICED_MS);
        const promoted = now();
        const old = await pair.promote();
        const firsts = (await told).map(
          ({ answers }) => answers.find((at) => at > promoted) ?? Number.POSITIVE_INFINITY,
        );
        waits[how].push(Math.max(...firsts) - promoted);
        // Processes that stand still would not notice that their server ends.
        if (how === 'silent') old.signal('SIGCONT');
        await old.kill();
        await old.stop();
        await pair.follow();
      }
    });
  });
  const said = Object.entries(waits).map(([how, all]) => `${how} ${all.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  bench.say(`from a promotion to the first answer on each of two machines: ${said.join('; ')}`);
  bench.check('16.promotion', { ours: Math.max(...Object.values(waits).map(median)) / 1_000 });
}

/** A member and the relay of its machine are killed in the middle of a task; a member on another machine has it next. */
async function takeovers(bench, machines) {
  const waits = [];
  for (let round = 0; round < bench.size.takeovers; round += 1)
    await machines.with(true, async ({ roots, start, relays }) => {
      const [a, b] = roots;
      const members = [exec('ada', ['sleep', '600']), exec('bob', ['sleep', '600'])];
      await teamIn(roots, members);
      const log = () => readFileSync(logOf(a), 'utf8');
      const claims = () => log().split('"type":"task.claimed","task":"1"').length - 1;
      const worker = async (name, root) => {
        const child = start('worker', 'bench', name, '--root', root);
        child.stdout.resume();
        await until(() => log().includes(`"type":"member.started","name":"${name}"`), `${name} begins`);
        return child;
      };
      const ada = await worker('ada', b);
      await once(start('task', 'create', 'bench', 'Wait', '--root', a), 'exit');
      await until(() => claims() === 1, 'the first member claims');
      await worker('bob', a);
      start('lead', 'bench', '--root', a, '--quiet').stdout.resume();
      // A lease is renewed every 2.5 s: the rounds differ in the time since then.
      await setTimeout(3_000 + round * 800);
      await end(relays[1], 'SIGKILL');
      const lost = now();
      await end(ada, 'SIGKILL');
      await until(() => claims() === 2, 'another member claims', 40_000);
      waits.push(now() - lost);
    });
  bench.say(`from the loss of a machine to the next claim: ${waits.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  bench.check('16.takeover', { ours: median(waits) / 1_000 });
}

/** The same team with a history, opened by a process that has nothing of it: on files, and on a machine of a store. */
async function coldOpens(bench, machines) {
  const { greatTeam } = await import('../.build/great-team.mjs');
  const name = 'login';
  await machines.with(true, async ({ dir, roots, start }) => {
    const [files, moved] = ['files', 'moved'].map((folder) => join(dir, folder));
    mkdirSync(files);
    const team = greatTeam({ members: 8, tasks: bench.size.openedTasks, messages: 0 }, files);
    // Its processes have ended.
    rmSync(team.store.paths.leaseOwner('lead'));
    await team.store.close();
    cpSync(files, moved, { recursive: true });
    const say = async (...argv) => {
      const [code] = await once(start(...argv), 'exit');
      if (code !== 0) throw new Error(`teams ${argv.join(' ')} ended with ${code}.`);
    };
    // Its configuration was signed by another key; what else is missing on this machine does not matter.
    await once(start('doctor', '--trust', name, '--yes', '--root', moved), 'exit');
    await say('migrate', name, '--to', 'store', '--root', moved);
    const began = now();
    await until(() => sizeOf(logOf(roots[1], name)) >= sizeOf(logOf(files, name)), 'the other machine has the team');
    bench.say(
      `a machine has ${(sizeOf(logOf(files, name)) / 2 ** 20).toFixed(1)} MiB of log within ${(now() - began).toFixed(0)} ms`,
    );
    // As the relay leaves it after its first second.
    await until(() => existsSync(checkpointOf(roots[1], name)), 'the other machine has a checkpoint');
    const times = { files: [], store: [] };
    const places = [
      ['files', files],
      ['store', roots[1]],
    ];
    for (let round = 0; round <= bench.size.rounds; round += 1)
      for (const [where, root] of round % 2 === 0 ? places : places.toReversed()) {
        const [{ ms, size }] = await oneOf([job('product/open-shared.mjs', 'open', { root, team: name })]);
        if (size !== bench.size.openedTasks) throw new Error(`It has ${size} tasks.`);
        // The first round warms up.
        if (round > 0) times[where].push(ms);
      }
    bench.say(
      `opened in ${median(times.store).toFixed(0)} ms in a store, in ${median(times.files).toFixed(0)} ms on files`,
    );
    bench.check('16.cold-open', { ours: times.store, theirs: times.files });
  });
}

const checkpointOf = (root, team) => logOf(root, team).replace(/jsonl$/, 'checkpoint');
const sizeOf = (path) => (existsSync(path) ? statSync(path).size : 0);
