/**
 * What this machine runs, as far as an agent must know to end what it started: from Linux's /proc (proc_pid_stat(5)).
 * Elsewhere nothing is seen; there the sweep by marks ends what is left (DESIGN §4).
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface Proc {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** In ticks since the boot; with the pid it is one process's own. */
  readonly startTime: string;
}

/** Every process that has not ended. One that has waits for its parent, perhaps for ever; it runs no more. */
export function procs(): Proc[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (procOf(Number(name)) ?? []) : []));
}

/** One process; undefined when it has ended. */
export function procOf(pid: number): Proc | undefined {
  const stat = read(pid, 'stat');
  // The second field is the program's name in parentheses and may hold anything, so fields count from the last `)`.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const [state, parent, group, threads, startTime] = [0, 1, 2, 17, 19].map((at) => fields[at]);
  if (startTime === undefined || state === 'X') return undefined;
  // Of a program whose first thread has ended others may run on.
  if (state === 'Z' && Number(threads) <= 1) return undefined;
  return { pid, parent: Number(parent), group: Number(group), startTime };
}

/** Whether a process was started with `NAME=value`, by itself or by an ancestor. */
export const carries = ({ pid }: Proc, variable: string): boolean =>
  read(pid, 'environ')?.split('\0').includes(variable) ?? false;

function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It has ended since it was listed, or is not ours to see.
    return undefined;
  }
}
