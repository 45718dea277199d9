/**
 * What the command line uses of its process: three streams, the environment, the working directory. Tests pass their
 * own.
 */
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import type { ProgramIsolate, TeamHandle, TerminalProcess } from '../../app.ts';
import { SIGNAL_CODES, TIMED_OUT } from './interrupts.ts';
import { OwnStream, type OutputStream } from './own-stream.ts';

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean;
}

export interface CliIo {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Throws if the directory was removed, or its path is not UTF-8. */
  readonly cwd: string;
  /** Aborts when the reader of stdout is gone, or stdout cannot be written. */
  readonly gone: AbortSignal;
  /** Present if the command serves a program behind a socket: the streams of an MCP host. */
  readonly wire?: { readonly input: Readable; readonly output: Writable };
  /** Present likewise: wraps a command in the isolation of that program. */
  readonly isolate?: ProgramIsolate;
  /** Present likewise: the member's team, which its process has open. */
  readonly openTeam?: TeamHandle['store'] | undefined;
  /** Present if the streams are those of this process. */
  readonly own?: OwnOutput;
}

/** Exit codes of a signal or a time-out. */
const INTERRUPTED: ReadonlySet<number> = new Set([TIMED_OUT, ...Object.values(SIGNAL_CODES)]);

/** How long a reader may take nothing before the process ends without it. */
const READER_MS = 2_000;

/** The output streams of this process. */
export class OwnOutput {
  readonly stdout: OwnStream;
  readonly stderr: OwnStream;
  #terminal: TerminalProcess | undefined;

  constructor(onGone: () => void) {
    this.stdout = new OwnStream({ descriptor: 1, isData: true, onGone });
    this.stderr = new OwnStream({ descriptor: 2, isData: false, onGone: () => {} });
  }

  /**
   * From now on another process writes to the terminal, so that a terminal that takes nothing stops nothing here.
   * @returns that process; undefined if no stream is a terminal
   */
  handOver(start: () => TerminalProcess): TerminalProcess | undefined {
    if (!this.stdout.isTTY && !this.stderr.isTTY) return undefined;
    const terminal = (this.#terminal ??= start());
    if (this.stdout.isTTY) this.stdout.relayTo((text) => terminal.print('stdout', text));
    if (this.stderr.isTTY) this.stderr.relayTo((text) => terminal.print('stderr', text));
    return terminal;
  }

  /** Resolves when the terminal has what was written so far, or takes nothing. */
  async settled(): Promise<void> {
    await this.#terminal?.settled();
  }

  /**
   * Call once, at the end.
   * @returns the exit code: 4 instead of 0 if data could not be written
   */
  async end(code: number): Promise<number> {
    const { failure } = this.stdout;
    if (failure !== undefined)
      this.stderr.write(
        `teams: The output could not be written (${failure}); what the command did is kept. Write the output to another place.\n`,
      );
    this.stderr.end();
    await this.#terminal?.close();
    const end = failure !== undefined && code === 0 ? 4 : code;
    // Data waits for a slow reader; what was interrupted, and remarks, wait only for one that reads.
    const isStopped = INTERRUPTED.has(code);
    const isTold = await this.stderr.drained(READER_MS);
    if (!(await this.stdout.drained(isStopped ? READER_MS : Infinity)) || !isTold) process.exit(end);
    return end;
  }
}

/** Node replaces bytes that are no UTF-8, and then the path leads nowhere: changing to it fails. */
function workingDirectory(): string {
  const path = process.cwd();
  if (path.includes('\uFFFD')) process.chdir(path);
  return path;
}

let own: CliIo | undefined;

/** The streams and environment of this process. A reader that exits early (`teams log | head`) causes no error. */
export function processIo(): CliIo {
  if (own) return own;
  let gone: AbortController | undefined;
  const whenGone = (): AbortController => (gone ??= new AbortController());
  const output = new OwnOutput(() => whenGone().abort());
  own = {
    // Opened when it is read: Node loads a fifth of its own modules for it.
    get stdin() {
      return process.stdin;
    },
    stdout: output.stdout,
    stderr: output.stderr,
    environment: process.env,
    get cwd() {
      return workingDirectory();
    },
    get gone() {
      return whenGone().signal;
    },
    own: output,
  };
  return own;
}
