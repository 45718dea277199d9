/**
 * Whether work is in proportion to its input: by the CPU time of this process, which other processes of the machine do
 * not change, and by two sizes, which a slow machine changes alike.
 */
import process from 'node:process';

/** Below this, in milliseconds, noise is larger than the work. */
const FLOOR_MS = 300;
/** Four times the input: linear work takes 4 times as long, quadratic work 16 times. */
const MOST = 10;

/** @param work is done with inputs of a quarter of the size and of the whole size */
export function isLinear(work: (input: 'quarter' | 'whole') => void): boolean {
  for (let tries = 0; tries < 3; tries += 1) {
    const whole = cpuOf(() => work('whole'));
    if (whole < FLOOR_MS || whole < MOST * cpuOf(() => work('quarter'))) return true;
  }
  return false;
}

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
