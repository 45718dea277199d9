/**
 * A persistent program that speaks JSON, one object a line, on stdin and stdout. A line that is not JSON is passed on
 * as output and does no harm; a flood of such lines ends the program.
 */
import { jsonLines, type JsonObject } from './json-lines.ts';
import type { OutputChunk } from '../../os/output-queue.ts';
import { LONGEST_MS, pause } from '../../os/pause.ts';
import { startProcess, type ProcessEnd, type ProgramLimits, type RunningProcess } from './process.ts';
import type { SpawnFailure } from './spawn-failure.ts';
import { ENV } from '../../model/text/environment.ts';

interface PeerRequest {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The receiver of a peer's output. Each function is called as output comes; the program waits for `heard`. */
export interface PeerListener {
  readonly heard: (message: JsonObject) => Promise<void>;
  /** Stderr, and lines on stdout that are not messages. */
  readonly printed: (output: OutputChunk) => void;
}

export interface PeerLimits extends ProgramLimits {
  /** Bytes on stdout without a message in them: more is a flood. */
  readonly noiseBytes: number;
  /** Milliseconds that it may take to exit after its stdin is closed. */
  readonly leaveMs: number;
}

const LIMITS = { noiseBytes: 8 * 1024 * 1024, leaveMs: 2_000, graceMs: 2_000 };

export interface Peer {
  readonly pid: number;
  send(message: JsonObject): void;
  /** Resolves when the program has ended, with all that it started. Never rejects. */
  readonly ended: Promise<ProcessEnd>;
  /** Closes its stdin so that it can exit, then ends it. */
  endInput(): Promise<ProcessEnd>;
  stop(): Promise<ProcessEnd>;
}

type StartedPeer = { readonly ok: true; readonly peer: Peer } | { readonly ok: false; readonly failure: SpawnFailure };

/** The variable by which a peer's children are recognized; each peer has its own value. */
const MARK = ENV.program;

export async function startPeer(
  { argv, env, cwd }: PeerRequest,
  listener: PeerListener,
  limits: Partial<PeerLimits> = {},
): Promise<StartedPeer> {
  const { noiseBytes, leaveMs, ...rest } = { ...LIMITS, ...limits };
  const id = globalThis.crypto.randomUUID();
  const ended = new AbortController();
  const lines = hearing(listener, noiseBytes, () => ended.abort());
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
  void tellOutput(process, listener);
  return { ok: true, peer: peerOf(process, leaveMs, lines.isFlooded) };
}

function peerOf(process: RunningProcess, leaveMs: number, isFlooded: () => boolean): Peer {
  const ended = process.ended.then((end): ProcessEnd =>
    isFlooded() ? { kind: 'flooded', stdout: end.stdout, stderr: end.stderr } : end,
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

/** Turns bytes into messages. Too much noise, or a line without an end, is a flood. */
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
        if (line.kind === 'message') {
          noise = 0;
          await heard(line.value);
          continue;
        }
        noise += line.kind === 'noise' ? line.length : Infinity;
        if (noise > noiseBytes) flood();
        else if (line.kind === 'noise') printed(said(line.text));
      }
    },
  };
}

const said = (text: string): OutputChunk => ({ type: 'output', stream: 'stdout', bytes: Buffer.from(`${text}\n`) });

async function tellOutput(process: RunningProcess, { printed }: PeerListener): Promise<void> {
  for (let output = await process.next(); output; output = await process.next()) printed(output);
}
