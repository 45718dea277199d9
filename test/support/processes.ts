/** What runs on this machine, as far as a test must know to say that it left nothing running. Linux; elsewhere empty. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  /** Where it works; undefined if that may not be known. */
  readonly cwd: string | undefined;
}

/** A process may end between two looks at it; then it is not running. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined; // It has ended, or is not ours to see.
  }
}

function lookAt(pid: number): Running | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (stat === undefined) return undefined;
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const command = attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  return {
    pid,
    parent: Number(parent),
    command: command.split('\0').join(' ').trim(),
    cwd: attempt(() => readlinkSync(`/proc/${pid}/cwd`)),
  };
}

/** Every process that there is now; cheap, since nobody is looked at. */
export const pids = (): number[] =>
  (attempt(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);

/** Those of them, by default all, that are alive; one that has ended and waits for its parent is not. */
export const running = (among: readonly number[] = pids()): Running[] => among.flatMap((pid) => lookAt(pid) ?? []);
