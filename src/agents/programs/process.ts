/**
 * One child process of a turn: started by argv in its own process group, its output always drained, and nothing of its
 * group left after its end. Never a shell, never a variable that was not given.
 *
 * The end is the program's `exit`, not the end of its output: a grandchild that holds the output must not hold the
 * turn. Every process of the group that is left after the exit is ended too.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { outputQueue, roomIn, type OutputChunk } from '../../os/output-queue.ts';
import { outputTail, type OutputTail } from '../../os/output-tail.ts';
import { pause } from '../../os/pause.ts';
import { endGroup } from '../../os/process-group.ts';
import { afterRunning } from '../../os/work-timer.ts';
import { carriersOf, descendantsOf, killSeen } from '../../os/process-tree.ts';
import { spawnFailure, type SpawnFailure } from './spawn-failure.ts';

export interface ProcessRequest {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Written to stdin, which is then closed; without it stdin is empty. */
  readonly stdin?: string | Uint8Array | undefined;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
  /** For a persistent program: stdin stays open for `write`, and processes it left behind end with it. */
  readonly persistent?: PersistentOptions;
}

export interface PersistentOptions {
  /** Gets stdout as it comes, instead of `next`; the program waits while the handler runs. */
  readonly onStdout: (bytes: Buffer) => Promise<void>;
  /** `NAME=value` of its environment, by which its children are recognized after its end. */
  readonly mark: string;
}

export interface ProgramLimits {
  /** Milliseconds between SIGTERM and SIGKILL, after an abort or a timeout. */
  readonly graceMs: number;
  /** More output than this is a flood, and ended by SIGKILL. */
  readonly floodBytes: number;
  /** How many bytes of the end of each stream are kept. */
  readonly keptBytes: number;
}

const LIMITS: ProgramLimits = { graceMs: 5_000, floodBytes: 2 ** 30, keptBytes: 2 ** 20 };

/**
 * How long, in milliseconds, other processes of its group may hold its output open after its exit, such as the `tee` of
 * a shell.
 */
const LINGER_MS = 25;

/** A process that survives this many looks waits for a disk; the sweep at the teammate's end reports it. */
const MOST_LOOKS = 100;

export type StopReason = 'aborted' | 'timeout' | 'flooded';

type Exit =
  { readonly kind: 'exited'; readonly code: number } | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals };

/** How the process ended, and the end of its output. */
export type ProcessEnd = (Exit | { readonly kind: StopReason }) & { readonly stdout: Buffer; readonly stderr: Buffer };

export interface RunningProcess {
  readonly pid: number;
  /** The next piece of output, as it comes; undefined after the last, when the process has ended. */
  next(): Promise<OutputChunk | undefined>;
  /** Resolves when the process and its group are gone. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Ends the process as an abort would, if it has not ended yet. */
  stop(): Promise<ProcessEnd>;
  /**
   * Writes to a persistent program's stdin. What the program does not read any more is lost; its exit will show that.
   */
  write(text: string): void;
  /** Closes that stdin; a persistent program takes this as its end. */
  endInput(): void;
}

type Started =
  { readonly ok: true; readonly process: RunningProcess } | { readonly ok: false; readonly failure: SpawnFailure };

/** Starts a process; a failure to start is returned, not thrown. */
export async function startProcess(request: ProcessRequest, limits: Partial<ProgramLimits> = {}): Promise<Started> {
  try {
    const child = spawnChild(request);
    if (child.pid === undefined) return { ok: false, failure: spawnFailure(await errorOf(child), request) };
    feed(child, request);
    return { ok: true, process: follow(child, child.pid, request, { ...LIMITS, ...limits }) };
  } catch (error) {
    return { ok: false, failure: spawnFailure(error, request) };
  }
}

const spawnChild = ({ argv: [program = '', ...args], env, cwd, stdin, persistent }: ProcessRequest): ChildProcess =>
  spawn(program, args, {
    cwd,
    env: { ...env },
    shell: false,
    detached: true,
    stdio: [stdin === undefined && persistent === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });

/** Why there is a child object but no process; its pipes, if any, are closed. */
async function errorOf(child: ChildProcess): Promise<Error> {
  const error = await new Promise<Error>((resolve) => child.once('error', resolve));
  giveBack(child);
  return error;
}

/** A child that failed for lack of descriptors has no list of pipes, whatever its type says. */
function giveBack({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
}

/** A stream breaks (EPIPE) when the program has finished with it; the exit says whether that matters. */
const ignore = (): void => {};

function feed({ stdin }: ChildProcess, { stdin: text, persistent }: ProcessRequest): void {
  stdin?.on('error', ignore);
  if (persistent === undefined) stdin?.end(text);
}

function follow(child: ChildProcess, pid: number, request: ProcessRequest, limits: ProgramLimits): RunningProcess {
  const [exit, closing] = [exitOf(child), closingOf(child)];
  let stopping: { readonly kind: StopReason; readonly done: Promise<void> } | undefined;
  let isOver = false;
  const stop = (kind: StopReason): void => {
    // After the end, another group may have the same number.
    if (!isOver) stopping ??= { kind, done: endTree(pid, kind === 'flooded' ? 0 : limits.graceMs) };
  };
  const output = drain(child, request, limits, () => stop('flooded'));
  const disarm = arm(request, stop);
  const end = async (): Promise<ProcessEnd> => {
    const exited = await exit;
    await stopping?.done;
    await lastLook(closing);
    isOver = true;
    disarm();
    await (stopping ? stopping.done : endGroup(pid, 0));
    if (request.persistent !== undefined) await endCarriers(request.persistent.mark);
    giveBack(child);
    output.close();
    return { ...output.tails(), ...(stopping ? { kind: stopping.kind } : exited) };
  };
  const ended = end();
  const abort = (): Promise<ProcessEnd> => {
    stop('aborted');
    return ended;
  };
  const write = (text: string): void => {
    if (child.stdin?.writable === true) child.stdin.write(text);
  };
  return { pid, next: output.next, ended, stop: abort, write, endInput: () => void child.stdin?.end() };
}

/** Ends a group, and the processes that left it, as long as they are found by descent. */
async function endTree(leader: number, graceMs: number): Promise<void> {
  const below = descendantsOf(leader);
  await endGroup(leader, graceMs);
  killSeen(below);
}

/**
 * Ends what a program left behind, until two looks find nothing: a process that forks while it is killed is found by
 * the next look.
 */
async function endCarriers(mark: string): Promise<void> {
  for (let looks = 0, empty = 0; empty < 2 && looks < MOST_LOOKS; looks += 1) {
    empty = killSeen(carriersOf(mark)) === 0 ? empty + 1 : 0;
    if (empty < 2) await pause(1);
  }
}

const exitOf = (child: ChildProcess): Promise<Exit> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal }),
    );
  });

/** What is called when the program has exited and no process holds its output open. */
interface Closing {
  isClosed: boolean;
  onClosed: () => void;
}

function closingOf(child: ChildProcess): Closing {
  const closing: Closing = { isClosed: false, onClosed: () => {} };
  child.once('close', () => {
    closing.isClosed = true;
    closing.onClosed();
  });
  return closing;
}

/** Waits for the end of the output. If another process holds it open, it is read up to the present. */
async function lastLook(closing: Closing): Promise<void> {
  // Mostly it is closed by now: no timer is made then.
  if (closing.isClosed) return;
  const isClosed = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), LINGER_MS);
    closing.onClosed = () => {
      clearTimeout(timer);
      resolve(true);
    };
  });
  if (!isClosed) await new Promise((resolve) => setImmediate(resolve));
}

/** Reads both streams as fast as they come. */
function drain(
  child: ChildProcess,
  { persistent }: ProcessRequest,
  { keptBytes, floodBytes }: ProgramLimits,
  flooded: () => void,
) {
  const queue = outputQueue();
  const [stdout, stderr] = [outputTail(keptBytes), outputTail(keptBytes)];
  let total = 0;
  const read = (stream: OutputChunk['stream'], tail: OutputTail) => (bytes: Buffer) => {
    tail.push(bytes);
    queue.push({ type: 'output', stream, bytes });
    total += bytes.length;
    if (total > floodBytes) flooded();
  };
  child.stdout?.on('error', ignore);
  if (persistent === undefined) child.stdout?.on('data', read('stdout', stdout));
  else if (child.stdout !== null && child.stdin !== null) void hearProgram(child.stdout, child.stdin, persistent);
  child.stderr?.on('data', read('stderr', stderr)).on('error', ignore);
  return {
    next: () => queue.next(),
    close: () => queue.close(),
    tails: () => ({ stdout: stdout.bytes(), stderr: stderr.bytes() }),
  };
}

/**
 * Passes stdout on piece by piece. The program waits while the handler runs, and while it leaves too much unread of what
 * was written to it: what it asks costs memory for the answer.
 */
export async function hearProgram(
  stdout: Readable,
  stdin: Writable,
  { onStdout: take }: Pick<PersistentOptions, 'onStdout'>,
): Promise<void> {
  try {
    for await (const bytes of stdout) {
      if (Buffer.isBuffer(bytes)) await take(bytes);
      await roomIn(stdin);
    }
  } catch {
    // A broken stream is the end of a program; its exit reports it.
  }
}

/**
 * Stops at the time limit and at the abort.
 * @returns a function that removes both
 */
function arm({ signal, timeoutMs }: ProcessRequest, stop: (kind: StopReason) => void): () => void {
  const abort = (): void => stop('aborted');
  const late = (): void => stop('timeout');
  const disarm = timeoutMs === undefined ? () => {} : afterRunning(timeoutMs, late);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  return () => {
    disarm();
    signal.removeEventListener('abort', abort);
  };
}
