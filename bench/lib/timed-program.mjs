/** Runs a program in Node to its end and tells what it took, in an environment of PATH and HOME alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './build.mjs';

const PROBE = join(ROOT, 'bench', 'lib', 'cpu-probe.cjs');
const env = { PATH: process.env.PATH, HOME: process.env.HOME };

/** @returns {Promise<number>} milliseconds of processor time, from the start of the process to its end */
export async function processorTime(argv) {
  const child = spawn(process.execPath, ['--require', PROBE, ...argv], {
    env: { ...env, CPU_PROBE: '3' },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  const told = await text(child.stdio[3]);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
  return Number(told);
}

/** @returns {Promise<number>} milliseconds by the clock */
export async function wallTime(argv) {
  const began = performance.now();
  const child = spawn(process.execPath, argv, { env, stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
  return performance.now() - began;
}
