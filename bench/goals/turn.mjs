/**
 * What a teammate adds to each turn of the CLI that it drives, in time and memory: compared with the same CLI, driven
 * directly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../lib/build.mjs';
import { median } from '../lib/figures.mjs';
import { residentMb } from '../lib/process-cost.mjs';

const CLI = join(ROOT, 'bench', 'yardsticks', 'instant-cli.mjs');
const env = { PATH: process.env.PATH };
/** The first turns start programs and fill caches. */
const WARM = 5;
const SETTLED_MS = 500;
const PATIENCE_MS = 120_000;

export const rows = [13];

export async function measure(bench) {
  const { size } = bench;
  const turns = WARM + size.turns;
  const agents = {
    cli: { kind: 'claude', command: [process.execPath, CLI] },
    command: { kind: 'exec', command: ['true'] },
  };
  const seen = { added: [], alone: [], cli: [], command: [], empty: [], isolated: [] };
  for (let round = 0; round < size.rounds; round += 1) {
    const led = await teammateAt(join(bench.dir, `cli-${round}`), agents.cli, turns);
    const alone = await directly(turns);
    const plain = await teammateAt(join(bench.dir, `command-${round}`), agents.command, turns);
    seen.added.push(led.ms - alone);
    seen.alone.push(alone);
    seen.cli.push(led.mb);
    seen.command.push(plain.mb);
    const held = await teammateAt(join(bench.dir, `isolated-${round}`), agents.command, turns, 'workspace-write');
    seen.isolated.push(held.ms - plain.ms);
    seen.empty.push(await emptyNode(bench.dir));
  }
  const of = Object.fromEntries(Object.entries(seen).map(([name, all]) => [name, median(all)]));
  bench.say(
    `a turn of a CLI that answers at once: ${of.alone.toFixed(2)} ms; a teammate adds ${of.added.toFixed(1)} ms (claim, hand-out, result, report)`,
  );
  bench.say(
    `after ${turns} tasks: ${of.cli.toFixed(1)} MB with a CLI, ${of.command.toFixed(1)} MB with a command, an empty Node ${of.empty.toFixed(1)} MB`,
  );
  bench.check('13.time', { ours: of.added });
  bench.check('13.isolated', { ours: of.isolated });
  bench.check('13.memory', { ours: of.cli - of.command });
}

/**
 * @returns milliseconds per task, and the teammate's memory in MB at the end; there is no lead, so that nothing else is
 * measured
 */
async function teammateAt(root, agent, tasks, sandbox = 'full') {
  const { makeTeam } = await import('../.build/product.mjs');
  mkdirSync(root);
  const changes = Array.from({ length: tasks }, (_, n) => ({
    type: 'task.created',
    task: String(n + 1),
    fields: fieldsOf(n),
  }));
  const { paths } = makeTeam(
    'bench',
    { members: [{ name: 'ada', agent, sandbox }], changes },
    { root, environment: {} },
  );
  const argv = [join(ROOT, 'bin', 'teammate.cjs'), root, 'bench', 'ada'];
  const child = spawn(process.execPath, argv, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  const until = performance.now() + PATIENCE_MS;
  while (completions(paths.log).length < tasks && performance.now() < until) await setTimeout(100);
  await setTimeout(SETTLED_MS);
  const mb = residentMb(child.pid);
  child.kill('SIGTERM');
  await once(child, 'exit');
  const done = completions(paths.log);
  if (done.length < tasks) throw new Error(`${done.length} of ${tasks} tasks were done.`);
  return { ms: (done.at(-1) - done[WARM - 1]) / (tasks - WARM), mb };
}

const fieldsOf = (n) => ({
  subject: `Task ${n}`,
  description: '',
  blockedBy: [],
  owner: 'ada',
  work: { files: [], verify: [], env: {} },
  retries: 0,
  required: true,
  metadata: {},
});

const completions = (log) =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"task.completed"'))
    .map((line) => Date.parse(JSON.parse(line).at));

/**
 * The same CLI without teams.
 * @returns milliseconds per turn
 */
async function directly(turns) {
  const child = spawn(process.execPath, [CLI], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async () => {
    child.stdin.write(`${JSON.stringify({ type: 'user', message: { role: 'user', content: 'Do it.' } })}\n`);
    while (!(await lines.next()).value.includes('"type":"result"'));
  };
  for (let turn = 0; turn < WARM; turn += 1) await ask();
  const began = performance.now();
  for (let turn = WARM; turn < turns; turn += 1) await ask();
  const ms = (performance.now() - began) / (turns - WARM);
  child.stdin.end();
  await once(child, 'exit');
  return ms;
}

async function emptyNode(dir) {
  const idle = join(dir, 'idle.cjs');
  writeFileSync(idle, 'setInterval(() => {}, 1_000);');
  const child = spawn(process.execPath, [idle], { env, stdio: 'ignore' });
  await setTimeout(SETTLED_MS);
  const mb = residentMb(child.pid);
  child.kill('SIGTERM');
  await once(child, 'exit');
  return mb;
}
