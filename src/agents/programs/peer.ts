/**
 * A program that stays and speaks JSON, one object a line, on stdin and stdout. What is no JSON is told as output and
 * does no harm, unless there is nothing else: a flood of it ends the program.
 */
import { jsonLines, type JsonObject } from './json-lines.ts';
import type { OutputChunk } from '../../os/output-queue.ts';
import { LONGEST_MS, pause } from '../../os/pause.ts';
import { startProcess, type ProcessEnd, type ProgramLimits, type RunningProcess } from './process.ts';
import type { SpawnFailure } from './spawn-failure.ts';
import { ENV } from '../../model/text/environment.ts';

export interface PeerRequest {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Who hears a peer. Each is called as it comes; the program waits for `heard`. */
export interface PeerListener {
  readonly heard: (message: JsonObject) => Promise<void>;
  /** Stderr, and what on stdout is no message. */
  readonly printed: (output: OutputChunk) => void;
}

export interface PeerLimits extends ProgramLimits {
  /** Bytes on stdout without a message in them: more is a flood. */
  readonly noiseBytes: number;
  /** How long it may take to leave by itself when its stdin is closed. */
  readonly leaveMs: number;
}

const LIMITS = { noiseBytes: 8 * 1024 * 1024, leaveMs: 2_000, graceMs: 2_000 };

export interface Peer {
  readonly pid: number;
  send(message: JsonObject): void;
  /** Resolves when it has ended, with all that it started. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Lets it leave by itself, then makes it. */
  endInput(): Promise<ProcessEnd>;
  stop(): Promise<ProcessEnd>;
}

type StartedPeer = { readonly ok: true; readonly peer: Peer } | { readonly ok: false; readonly failure: SpawnFailure };

/** The variable by which what a peer started is known; each peer has a value of its own. */
const MARK = ENV.program;

export async function startPeer(
  { argv, env, cwd }: PeerRequest,
  ears: PeerListener,
  limits: Partial<PeerLimits> = {},
): Promise<StartedPeer> {
  const { noiseBytes, leaveMs, ...rest } = { ...LIMITS, ...limits };
  const id = globalThis.crypto.randomUUID();
  const ended = new AbortController();
  const lines = hearing(ears, noiseBytes, () => ended.abort());
  const started = await startProcess(
    {
      argv,
      cwd,
      env: { ...env, [MARK]: id },
      signal: ended.signal,
      persistent: { onStdout: lines.hear, mark: `${MARK}=${id}` },
    },
    rest,
  );
  if (!started.ok) return started;
  const { process } = started;
  void tellOutput(process, ears);
  return { ok: true, peer: peerOf(process, leaveMs, lines.isFlooded) };
}

function peerOf(process: RunningProcess, leaveMs: number, isFlooded: () => boolean): Peer {
  const ended = process.ended.then((end): ProcessEnd =>
    isFlooded() ? { how: 'flooded', stdout: end.stdout, stderr: end.stderr } : end,
  );
  return {
    pid: process.pid,
    ended,
    send: (message) => process.write(`${JSON.stringify(message)}\n`),
    async endInput() {
      process.endInput();
      const left = new AbortController();
      void ended.then(() => left.abort());
      await pause(Math.min(leaveMs, LONGEST_MS), left.signal);
      if (!left.signal.aborted) await process.stop();
      return ended;
    },
    async stop() {
      await process.stop();
      return ended;
    },
  };
}

/** Bytes to messages; more noise than is allowed, or a line without end, is a flood. */
function hearing({ heard, printed }: PeerListener, noiseBytes: number, flooded: () => void) {
  const lines = jsonLines();
  let [noise, isFlooded] = [0, false];
  const flood = (): void => {
    isFlooded = true;
    flooded();
  };
  return {
    isFlooded: () => isFlooded,
    hear: async (bytes: Buffer): Promise<void> => {
      for (const line of lines(bytes)) {
        if (line.is === 'message') {
          noise = 0;
          await heard(line.value);
          continue;
        }
        noise += line.is === 'noise' ? line.length : Infinity;
        if (noise > noiseBytes) flood();
        else if (line.is === 'noise') printed(said(line.text));
      }
    },
  };
}

const said = (text: string): OutputChunk => ({ type: 'output', stream: 'stdout', bytes: Buffer.from(`${text}\n`) });

async function tellOutput(process: RunningProcess, { printed }: PeerListener): Promise<void> {
  for (let output = await process.next(); output; output = await process.next()) printed(output);
}
