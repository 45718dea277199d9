/** The cost of a process, from /proc: processor time to the nanosecond, resident memory, number of wake-ups. */
import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds of processor time of all its threads. */
export function processorMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((total, one) => total + one, 0) / 1e6;
}

const status = (path, key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(readFileSync(path, 'utf8'))?.[1]);

export const residentMb = (pid) => status(`/proc/${pid}/status`, 'VmRSS') / 1024;

/** The most that this process has held so far; `maxRSS` would also count what its parent held when it was forked. */
export const peakMb = () => status('/proc/self/status', 'VmHWM') / 1024;

/** Shared pages count for a part: what one process more costs a machine that runs many. */
export const proportionalMb = (pid) => status(`/proc/${pid}/smaps_rollup`, 'Pss') / 1024;

/** How often its main thread waited, and so was woken. */
export const wakeUps = (pid) => status(`/proc/${pid}/task/${pid}/status`, 'voluntary_ctxt_switches');
