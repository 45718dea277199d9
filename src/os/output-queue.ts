/**
 * Output between a process that writes when it likes and a reader that takes when it can. The process is never made to
 * wait: what a slow reader leaves lying for too long is left out, oldest first, and a line in its place says so.
 */

export interface OutputChunk {
  readonly type: 'output';
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

export interface OutputQueue {
  push(output: OutputChunk): void;
  /** No more will come; what lies there can still be taken. */
  close(): void;
  /** The next piece; undefined after the last. One reader at a time. */
  next(): Promise<OutputChunk | undefined>;
}

/** What a piece costs beyond its bytes, so that very many very small ones are bounded too. */
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
