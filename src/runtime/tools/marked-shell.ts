/**
 * Runs commands of a model: each in a shell of its own, with a mark, with limits, and with shell isolation if there is
 * one. When a command ends, nothing of it is left.
 */
import { newId } from '../../store/files/new-ids.ts';
import { startProcess, type ProcessEnd } from '../../agents/programs/process.ts';
import type { Mark } from '../../model/agent/process-mark.ts';
import { marks } from '../../os/draw-marks.ts';
import { processes } from '../../os/process-table.ts';
import { realClock } from '../../os/system-clock.ts';
import { isLimited, markedCommand, markEnvironment, prlimitPath } from '../../os/mark-environment.ts';
import { reaperCommand } from '../process/package.ts';
import { startReaper, type Reaper } from '../../os/reaper-handle.ts';
import { sweep } from '../../os/sweep.ts';
import { ENV } from '../../model/text/environment.ts';
import { outputTail, tailText } from '../../os/output-tail.ts';

interface ShellRequest {
  /** With the shell isolation already around it. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of output that are kept. */
  readonly most: number;
  /** Called with each piece of its output. */
  readonly onOutput?: (bytes: Buffer) => void;
}

export type ShellEnd =
  | { readonly kind: ProcessEnd['kind'] | 'crowded'; readonly code: number | undefined; readonly output: string }
  | { readonly kind: 'not started'; readonly why: string };

/** Processes that one command may have at a time. */
export const MOST_PROCESSES = 512;
const COUNT_EVERY_MS = 100;
/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
/** Bytes of output that end the command. */
const FLOOD_BYTES = 256 * 1024 * 1024;

export class Shell {
  readonly #run = newId(realClock.now());
  /** Ends commands when this process is killed. Commands with the mark of a teammate need none: its lead ends them. */
  #reaper: Reaper | undefined;

  async run(request: ShellRequest): Promise<ShellEnd> {
    const [mark] = marks.draw(1, this.#run);
    if (mark === undefined) return { kind: 'not started', why: 'No mark is free to identify its processes.' };
    const isMarked = request.env[ENV.mark] !== undefined;
    if (!isMarked) this.#reaper ??= startReaper(reaperCommand);
    this.#reaper?.add(mark);
    try {
      const { file, args } = markedCommand(mark, withLimits(request.argv));
      // In a teammate the command keeps the teammate's mark, too, so that its lead's sweep finds it.
      const own = isMarked ? {} : markEnvironment(mark);
      return await this.#follow({ ...request, argv: [file, ...args], env: { ...request.env, ...own } }, mark);
    } finally {
      await sweep([mark], []);
      this.#reaper?.remove(mark);
      marks.giveBack(mark);
    }
  }

  /** Closes the shell; no command may run any more. Idempotent. */
  async close(): Promise<void> {
    await this.#reaper?.done();
    this.#reaper = undefined;
  }

  async #follow(request: ShellRequest, mark: Mark): Promise<ShellEnd> {
    const { argv, env, cwd, timeoutMs, signal, most, onOutput } = request;
    const crowded = new AbortController();
    const started = await startProcess(
      { argv, env, cwd, timeoutMs, signal: AbortSignal.any([signal, crowded.signal]) },
      { graceMs: GRACE_MS, floodBytes: FLOOD_BYTES, keptBytes: 0 },
    );
    if (!started.ok) return { kind: 'not started', why: started.failure.message };
    const stop = watchCrowd(mark, () => crowded.abort());
    const output = commandOutput(most);
    try {
      for (let piece = await started.process.next(); piece; piece = await started.process.next()) {
        output.push(piece.bytes);
        onOutput?.(piece.bytes);
      }
      const end = await started.process.ended;
      const code = end.kind === 'exited' ? end.code : undefined;
      return { kind: crowded.signal.aborted ? 'crowded' : end.kind, code, output: output.text() };
    } finally {
      stop();
    }
  }
}

/**
 * Limits the processes of a command. The limit counts all processes of this user, so it is set above the present
 * number. It does not bind root; {@link watchCrowd} counts for that case.
 */
function withLimits(argv: readonly string[]): [string, ...string[]] {
  const prlimit = prlimitPath();
  const [file = '', ...args] = argv;
  if (prlimit === undefined) return [file, ...args];
  const most = MOST_PROCESSES + processes.list().reduce((sum, pid) => sum + threadsOf(pid), 0);
  return [prlimit, `--nproc=${most}:${most}`, '--core=0:0', '--', file, ...args];
}

function threadsOf(pid: number): number {
  const seen = processes.stat(pid);
  return typeof seen === 'string' ? 1 : seen.threads;
}

/**
 * Counts the processes of a command, if there are suddenly many more than before.
 *
 * @returns a function that stops the counting
 */
function watchCrowd(mark: Mark, tooMany: () => void): () => void {
  const before = processes.list().length;
  const look = (): void => {
    const pids = processes.list();
    if (pids.length - before > MOST_PROCESSES && pids.filter((pid) => carries(pid, mark)).length > MOST_PROCESSES)
      tooMany();
  };
  const timer = setInterval(look, COUNT_EVERY_MS);
  return () => clearInterval(timer);
}

function carries(pid: number, mark: Mark): boolean {
  if (mark.kind === 'environment') {
    const environ = processes.environ(pid);
    return typeof environ !== 'string' && environ.includes(`${ENV.mark}=${mark.id}`);
  }
  const limits = processes.limits(pid);
  return typeof limits !== 'string' && isLimited(mark, limits);
}

interface CommandOutput {
  push(bytes: Buffer): void;
  text(): string;
}

/**
 * What a command printed, its beginning and its end.
 *
 * @param most bytes that are kept; half of them from the beginning
 */
function commandOutput(most: number): CommandOutput {
  const half = Math.floor(most / 2);
  const head: Buffer[] = [];
  const tail = outputTail(half);
  let [held, total] = [0, 0];
  return {
    push: (bytes) => {
      total += bytes.length;
      const room = Math.min(half - held, bytes.length);
      if (room > 0) head.push(Buffer.from(bytes.subarray(0, room)));
      held += Math.max(room, 0);
      if (room < bytes.length) tail.push(bytes.subarray(Math.max(room, 0)));
    },
    text: () => {
      const begun = Buffer.concat(head);
      const left = total - held;
      if (left === 0) return begun.toString('utf8');
      if (left <= half) return Buffer.concat([begun, tail.bytes()]).toString('utf8');
      const note = `\n[${left - half} of ${total} bytes are left out here]\n`;
      // A character that was cut in two is left out.
      const beginning = new TextDecoder().decode(begun, { stream: true });
      return `${beginning}${note}${tailText(tail.bytes(), half - 4)}`;
    },
  };
}
