/**
 * A queue between a process that writes at any speed and a slower reader. The process never waits: if too much waits
 * for the reader, the oldest output is dropped and replaced by one line that says so.
 */
import type { Writable } from 'node:stream';

export interface OutputChunk {
  readonly type: 'output';
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

interface OutputQueue {
  push(output: OutputChunk): void;
  /** No more output will come; waiting output can still be read. */
  close(): void;
  /** The next chunk; undefined after the last. One reader at a time. */
  next(): Promise<OutputChunk | undefined>;
}

/** Cost of a chunk in addition to its bytes, so that the number of very small chunks is limited too. */
const PIECE_COST = 256;

/** @param limit bytes that may wait */
export function outputQueue(limit = 4 * 1024 * 1024): OutputQueue {
  const waiting: OutputChunk[] = [];
  let [cost, leftOut, isClosed]: [number, number, boolean] = [0, 0, false];
  let wake: (() => void) | undefined;

  const shift = (): OutputChunk | undefined => {
    const output = waiting.shift();
    if (output) cost -= output.bytes.length + PIECE_COST;
    return output;
  };
  const take = (): OutputChunk | undefined => {
    if (leftOut === 0) return shift();
    const bytes = Buffer.from(`\n[${leftOut} bytes of output were left out here]\n`);
    leftOut = 0;
    return { type: 'output', stream: 'stderr', bytes };
  };

  return {
    push: (output) => {
      waiting.push(output);
      cost += output.bytes.length + PIECE_COST;
      while (cost > limit && waiting.length > 1) leftOut += shift()?.bytes.length ?? 0;
      wake?.();
    },
    close: () => {
      isClosed = true;
      wake?.();
    },
    next: async () => {
      if (waiting.length === 0 && !isClosed) await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      return take();
    },
  };
}

/**
 * Bytes that may wait for a peer of a protocol: none may be dropped. While more wait, nothing is read from it, so that it
 * causes no more.
 */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;

/**
 * @param most bytes that may wait
 * @returns undefined while `output` may take more; else a promise for the moment when it may, or is closed
 */
export function roomIn(output: Writable, most = MOST_WAITING_BYTES): Promise<void> | undefined {
  if (output.writableLength <= most || !output.writable) return undefined;
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done).off('close', done);
      resolve();
    };
    output.on('drain', done).on('close', done);
  });
}
