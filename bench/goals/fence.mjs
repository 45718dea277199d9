/** What program isolation costs a member's program, and how soon its processes are gone after `kill -9`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../lib/build.mjs';
import { median } from '../lib/figures.mjs';

const PROBE = join(ROOT, 'bench', 'yardsticks', 'fence-probe.cjs');
const PATIENCE_MS = 120_000;
const env = { PATH: process.env.PATH, HOME: process.env.HOME };

export const rows = ['fence'];

export async function measure(bench) {
  const { size, dir } = bench;
  const seen = { send: [], empty: [], call: [], gone: [] };
  for (let round = 0; round < size.rounds; round += 1) {
    const outside = await figures(join(dir, `outside-${round}`), 'full', size.starts);
    const inside = await figures(join(dir, `inside-${round}`), 'workspace-write', size.starts);
    if (inside === undefined) {
      for (const id of ['fence.send', 'fence.mcp', 'fence.gone'])
        bench.check(id, { skipped: 'no bubblewrap works here' });
      return;
    }
    seen.send.push(inside.send);
    seen.empty.push(inside.empty);
    seen.call.push(inside.call - outside.call);
    seen.gone.push(await goneAfterKill(join(dir, `killed-${round}`), 31_536_000 + round));
    bench.say(
      `inside: an empty Node ${inside.empty.toFixed(1)} ms, teams send ${inside.send.toFixed(1)} ms, an MCP call ${inside.call.toFixed(2)} ms; outside: ${outside.empty.toFixed(1)}, ${outside.send.toFixed(1)}, ${outside.call.toFixed(2)} ms`,
    );
  }
  bench.check('fence.send', { ours: seen.send, theirs: seen.empty });
  bench.check('fence.mcp', { ours: median(seen.call) });
  bench.check('fence.gone', { ours: median(seen.gone) });
}

async function begun(root, sandbox, words) {
  const { makeTeam } = await import('../.build/product.mjs');
  mkdirSync(root);
  const work = { files: [], verify: [], env: {}, run: [process.execPath, 'probe.cjs', ...words] };
  const fields = {
    subject: 'Probe',
    description: '',
    blockedBy: [],
    owner: 'ada',
    work,
    retries: 0,
    required: true,
    metadata: {},
  };
  const { paths } = makeTeam(
    'bench',
    {
      members: [{ name: 'ada', agent: { kind: 'exec' }, sandbox }],
      changes: [{ type: 'task.created', task: '1', fields }],
    },
    { root, environment: {} },
  );
  const { copyFileSync } = await import('node:fs');
  copyFileSync(PROBE, join(root, 'probe.cjs'));
  const argv = [join(ROOT, 'bin', 'teammate.cjs'), root, 'bench', 'ada'];
  return { paths, child: spawn(process.execPath, argv, { env, stdio: ['pipe', 'ignore', 'inherit'] }) };
}

/** @returns the probe's figures; undefined if the member was to be isolated and is not */
async function figures(root, sandbox, count) {
  const { paths, child } = await begun(root, sandbox, [String(count)]);
  const gone = once(child, 'exit');
  const until = performance.now() + PATIENCE_MS;
  const isEnded = () => /"task\.(?:completed|failed)"/.test(readFileSync(paths.log, 'utf8'));
  while (!isEnded() && child.exitCode === null && performance.now() < until) await setTimeout(50);
  child.kill('SIGTERM');
  await gone;
  if (!existsSync(join(root, 'figures.json')))
    throw new Error(`The probe has no figures: ${readFileSync(paths.log, 'utf8').split('\n').at(-2)}`);
  const isIsolated = readFileSync(paths.events, 'utf8').includes('"sandbox.held"');
  return sandbox === 'full' || isIsolated ? JSON.parse(readFileSync(join(root, 'figures.json'), 'utf8')) : undefined;
}

/** @returns milliseconds from the kill of the teammate until no process of the probe is left */
async function goneAfterKill(root, mark) {
  const { child } = await begun(root, 'workspace-write', ['0', String(mark)]);
  const until = performance.now() + PATIENCE_MS;
  while ((!existsSync(join(root, 'hangs')) || sleepers(mark) < 6) && performance.now() < until) await setTimeout(20);
  const began = performance.now();
  child.kill('SIGKILL');
  while (sleepers(mark) > 0 && performance.now() < until) await setTimeout(1);
  return performance.now() - began;
}

const sleepers = (mark) => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && isSleeper(pid, mark)).length;

function isSleeper(pid, mark) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${mark}\0`;
  } catch {
    return false;
  }
}
