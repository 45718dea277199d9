/** Keeps the last bytes of a stream of any length; memory is at most twice the limit. */

export interface OutputTail {
  push(bytes: Buffer): void;
  /** The kept bytes, at most `limit`. */
  bytes(): Buffer;
}

const FIRST_SIZE = 4 * 1024;

export function outputTail(limit: number): OutputTail {
  let held = Buffer.alloc(0);
  let length = 0;

  /** Grows up to twice the limit, then moves the kept bytes to the front: each byte is moved about once. */
  const makeRoom = (wanted: number): void => {
    if (length + wanted <= held.length) return;
    const kept = held.subarray(Math.max(0, length - limit), length);
    const size = Math.min(2 * limit, Math.max(FIRST_SIZE, 2 * (kept.length + wanted)));
    const next = size > held.length ? Buffer.allocUnsafe(size) : held;
    next.set(kept);
    [held, length] = [next, kept.length];
  };

  return {
    push: (bytes) => {
      const last = bytes.subarray(Math.max(0, bytes.length - limit));
      makeRoom(last.length);
      held.set(last, length);
      length += last.length;
    },
    bytes: () => Buffer.from(held.subarray(Math.max(0, length - limit), length)),
  };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The last `limit` bytes as text, from a character boundary on. Bytes that are not UTF-8 become U+FFFD. */
export function tailText(bytes: Buffer, limit: number): string {
  let start = Math.max(0, bytes.length - limit);
  if (start > 0) for (let skipped = 0; skipped < 3 && isContinuation(bytes[start]); skipped += 1) start += 1;
  return bytes.toString('utf8', start);
}

/** The last line that is not empty; undefined if there is none. */
export const lastLine = (text: string): string | undefined =>
  text
    .split(/[\r\n]+/)
    .findLast((line) => line.trim() !== '')
    ?.trim();
