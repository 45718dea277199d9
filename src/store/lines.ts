/**
 * Bytes into lines, in bounded memory. Only what ends in a newline is a line: a torn tail is left where it is. A line
 * above the limit is told by its place and length and costs no memory; invalid UTF-8 is told as such.
 */
import type { Disk } from './disk.ts';
import { chunks } from './file.ts';

/** Longest line that is kept in memory: a 256 KiB body, escaped six-fold, and its envelope. */
export const LINE_LIMIT = 2 * 1024 * 1024;

export type Line = { readonly at: number; readonly end: number } & (
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'invalid'; readonly bytes: Buffer }
  | { readonly is: 'oversized' }
);

const NEWLINE = 10;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Yields the lines of a file from `from` to its last newline; empty lines are passed over.
 *
 * @returns the offset after the last newline
 */
export function* lines(disk: Disk, fd: number, from = 0, limit = LINE_LIMIT): Generator<Line, number> {
  let start = from;
  let kept: Buffer[] = [];
  let keptSize = 0;
  let at = from;
  for (const chunk of chunks(disk, fd, from)) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const last = chunk.subarray(begin, end);
      const line = toLine(start, at + end + 1, kept, keptSize, last, limit);
      if (line) yield line;
      kept = [];
      keptSize = 0;
      begin = end + 1;
      start = at + begin;
    }
    const rest = chunk.subarray(begin);
    keptSize += rest.length;
    if (keptSize <= limit) kept.push(Buffer.from(rest));
    else kept = [];
    at += chunk.length;
  }
  return start;
}

function toLine(
  at: number,
  end: number,
  kept: Buffer[],
  keptSize: number,
  last: Buffer,
  limit: number,
): Line | undefined {
  if (keptSize + last.length === 0) return undefined;
  if (keptSize + last.length > limit) return { is: 'oversized', at, end };
  const bytes = kept.length === 0 ? last : Buffer.concat([...kept, last]);
  try {
    const text = strict.decode(bytes);
    return { is: 'text', at, end, text };
  } catch {
    // Not UTF-8: the caller sets it aside with its bytes.
    return { is: 'invalid', at, end, bytes: Buffer.from(bytes) };
  }
}
