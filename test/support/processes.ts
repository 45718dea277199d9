/**
 * The running processes of this machine, as far as a test needs them to prove that it left none. Linux; elsewhere
 * empty.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Its working directory; undefined if that is not readable. */
  readonly cwd: string | undefined;
}

/** `include/linux/sched.h`: it is ending; its memory may be gone, and its working directory not yet. */
const PF_EXITING = 0x4;

/** A process may end between two looks; then it is not running. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined; // It has ended, or is not readable.
  }
}

function lookAt(pid: number): Running | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined) return undefined;
  const [state, parent, , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X' || (Number(flags) & PF_EXITING) !== 0) return undefined;
  const command = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  return {
    pid,
    parent: Number(parent),
    command: command.split('\0').join(' ').trim(),
    cwd: attempt(() => readlinkSync(`/proc/${pid}/cwd`)),
  };
}

/** The pids of all processes; cheap, since no process is read. */
export const pids = (): number[] =>
  (attempt(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);

/** The running ones of these pids, by default of all; a zombie does not count, nor one that is ending. */
export const running = (among: readonly number[] = pids()): Running[] => among.flatMap((pid) => lookAt(pid) ?? []);

/** Kills the running processes whose command has these words; one that ends by itself meanwhile is no failure. */
export function killRunning(words: string): void {
  for (const { pid, command } of running()) if (command.includes(words)) attempt(() => process.kill(pid, 'SIGKILL'));
}
