/**
 * What holds up a process that reads files, by `/proc`: a named pipe where it expects a file, for which it waits until
 * somebody writes; or a file that is too large to be read, as a sparse one of terabytes that takes no space. Linux only,
 * pipes on x64 and arm64; elsewhere, and where a user may not look, nothing is found.
 */
import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';

interface AwaitedPipe {
  readonly path: string;
  /** It is open: somebody holds its other end and writes nothing. Otherwise it waits for somebody to open it. */
  readonly isOpen: boolean;
}

/** Numbers of system calls. */
interface Calls {
  readonly openat: number;
  readonly open?: number;
  readonly read: number;
}
const CALLS: Readonly<Record<string, Calls>> = {
  x64: { openat: 257, open: 2, read: 0 },
  arm64: { openat: 56, read: 63 },
};
const AT_FDCWD = 0xffffff9c;
const LONGEST_PATH = 4096;

/** The pipe of a process, or of what it started. */
export function awaitedPipe(pid: number): AwaitedPipe | undefined {
  const calls = process.platform === 'linux' ? CALLS[process.arch] : undefined;
  if (calls === undefined) return undefined;
  for (const one of family(pid)) {
    const pipe = pipeOf(one, calls);
    if (pipe !== undefined) return pipe;
  }
  return undefined;
}

function family(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return [pid, ...children.flatMap((child) => family(Number(child)))];
  } catch {
    // It ended.
    return [pid];
  }
}

function pipeOf(pid: number, calls: Calls): AwaitedPipe | undefined {
  const at = `/proc/${pid}`;
  try {
    const [call = NaN, first = NaN, second = NaN] = readFileSync(`${at}/syscall`, 'utf8').split(' ').map(Number);
    if (call === calls.read) return pipeAt(readlinkSync(`${at}/fd/${first}`), true);
    if (call !== calls.openat && call !== calls.open) return undefined;
    const isBelowCwd = call === calls.open || first % 2 ** 32 === AT_FDCWD;
    const directory = readlinkSync(isBelowCwd ? `${at}/cwd` : `${at}/fd/${first}`);
    return pipeAt(resolve(directory, textAt(`${at}/mem`, call === calls.open ? first : second)), false);
  } catch {
    // It ended, it runs, or it may not be looked at.
    return undefined;
  }
}

function pipeAt(path: string, isOpen: boolean): AwaitedPipe | undefined {
  return path.startsWith('/') && statSync(path).isFIFO() ? { path, isOpen } : undefined;
}

function textAt(memory: string, position: number): string {
  const file = openSync(memory, 'r');
  try {
    const bytes = Buffer.alloc(LONGEST_PATH);
    // Up to the end of its page; a longer path is not found.
    const most = Math.min(LONGEST_PATH, 2 * LONGEST_PATH - (position % LONGEST_PATH));
    const length = readSync(file, bytes, 0, most, position);
    const end = bytes.subarray(0, length).indexOf(0);
    if (end < 0) throw new Error('The path does not end.');
    return bytes.toString('utf8', 0, end);
  } finally {
    closeSync(file);
  }
}

/** Lets a process that waits for somebody to open the pipe read an empty file. */
export function releasePipe({ path }: AwaitedPipe): void {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY));
  } catch {
    // Nobody waits there any more.
  }
}

export interface FileRead {
  readonly path: string;
  readonly bytes: number;
}

/**
 * The largest file that a process, or what it started, has open only to read.
 *
 * @param isCounted gets the path of a file; files that do not count are passed over
 */
export function largestRead(pid: number, isCounted: (path: string) => boolean): FileRead | undefined {
  let largest: FileRead | undefined;
  for (const read of family(pid).flatMap(readsOf))
    if (read.bytes > (largest?.bytes ?? 0) && isCounted(read.path)) largest = read;
  return largest;
}

function readsOf(pid: number): FileRead[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => readOf(pid, descriptor) ?? []);
  } catch {
    // It ended, or it may not be looked at.
    return [];
  }
}

/** The bits of a descriptor's flags that say how it is open; 0 is: only to read. */
const ACCESS = 0o3;

function readOf(pid: number, descriptor: string): FileRead | undefined {
  const at = `/proc/${pid}/fd/${descriptor}`;
  try {
    const file = statSync(at);
    if (!file.isFile()) return undefined;
    const [, flags = '1'] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (parseInt(flags, 8) & ACCESS) === 0 ? { path: readlinkSync(at), bytes: file.size } : undefined;
  } catch {
    // It was closed.
    return undefined;
  }
}
