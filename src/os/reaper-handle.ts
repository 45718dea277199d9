/**
 * The lead's side of its reaper. It starts the reaper, sends it every mark before the marked process starts, and
 * dismisses it at the end. A reaper that dies is restarted once, with all marks.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Mark, ReaperMessage } from '../model/agent/process-mark.ts';
import { writeMessage } from './reaper-message.ts';
import type { ProcessIdentity } from '../model/agent/process-identity.ts';

export interface Reaper {
  /** The reaper's pid; undefined while there is none. */
  readonly pid: number | undefined;
  /** The message is in the pipe when this returns: it reaches the reaper even if the lead dies now. */
  add(mark: Mark, pids?: readonly ProcessIdentity[]): void;
  remove(mark: Mark): void;
  /** Dismisses the reaper and waits until it has ended. Never rejects. */
  done(): Promise<void>;
  /** Has the reaper end all processes with its marks, as after the lead's death, and waits until it has ended. Never rejects. */
  endAll(): Promise<void>;
}

interface ReaperOptions {
  /** A descriptor for the reaper's output; none by default. */
  readonly log?: number;
  /** Called after the reaper died; `restarted` is false the second time, and the team has no reaper from then on. */
  readonly onLost?: (loss: { readonly how: string; readonly restarted: boolean }) => void;
}

const GOODBYE_MS = 1_000;
/** Two sweeps of at most about two seconds each, on a loaded machine. */
const SWEPT_MS = 10_000;

/** @param entry program and arguments, as absolute paths: the reaper runs in `/` without an environment */
export function startReaper(entry: readonly [string, ...string[]], options: ReaperOptions = {}): Reaper {
  const charges = new Map<string, { readonly mark: Mark; readonly pids: readonly ProcessIdentity[] }>();
  let [child, isClosing, restarts]: [ChildProcess | undefined, boolean, number] = [undefined, false, 0];
  const tell = (message: ReaperMessage): void => void child?.stdin?.write(writeMessage(message));
  const start = (): void => {
    child = spawnReaper(entry, options.log ?? 'ignore', lost);
    for (const { mark, pids } of charges.values()) tell({ add: mark, pids });
  };
  const lost = (how: string): void => {
    child = undefined;
    if (isClosing) return;
    const restarted = restarts === 0;
    restarts += 1;
    if (restarted) start();
    options.onLost?.({ how, restarted });
  };
  start();
  return {
    get pid() {
      return child?.pid;
    },
    add: (mark, pids = []) => {
      charges.set(mark.id, { mark, pids: [...(charges.get(mark.id)?.pids ?? []), ...pids] });
      tell({ add: mark, pids });
    },
    remove: (mark) => {
      charges.delete(mark.id);
      tell({ remove: mark.id });
    },
    done: async () => {
      isClosing = true;
      tell({ done: true });
      if (child !== undefined) await leave(child, GOODBYE_MS);
    },
    endAll: async () => {
      isClosing = true;
      if (child !== undefined) await leave(child, SWEPT_MS);
    },
  };
}

/** @param lost called once, with the reason, when this child has ended */
function spawnReaper(
  [file, ...args]: readonly [string, ...string[]],
  log: number | 'ignore',
  lost: (how: string) => void,
): ChildProcess {
  const child = spawn(file, args, { detached: true, cwd: '/', env: {}, stdio: ['pipe', log, log] });
  child.once('exit', (code, signal) => lost(signal ?? `exit code ${code}`));
  child.once('error', (error) => {
    if (child.pid === undefined) lost(error.message);
  });
  // EPIPE: the reaper is dead; its `exit` event reports that.
  child.stdin?.on('error', () => {});
  // The reaper does not keep a lead process alive that has finished.
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

/** Closes the pipe after the last message. A reaper that does not end by itself (a stopped one) is killed. */
async function leave(child: ChildProcess, withinMs: number): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const timer = new AbortController();
  child.ref();
  child.stdin?.end();
  const late = setTimeout(withinMs, undefined, { signal: timer.signal }).then(
    () => child.kill('SIGKILL'),
    () => false,
  );
  await gone;
  timer.abort();
  await late;
}
