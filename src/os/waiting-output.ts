/** A limit on what waits to be written to a peer that does not read. */
import type { Writable } from 'node:stream';

/** Bytes that may wait for a peer. While more wait, nothing more is read from it, so that it causes no more. */
export const MOST_WAITING_BYTES = 16 * 1024 * 1024;

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
