/**
 * Splits bytes into lines, in bounded memory. Only what ends in a newline is a line: a torn tail is left in place. A
 * line above the limit is reported by its place and length and costs no memory; invalid UTF-8 is reported as such.
 */
import { isAscii } from 'node:buffer';
import type { Disk } from './disk.ts';
import { chunks } from './file.ts';

/** Longest line that is kept in memory: a 256 KiB body, escaped six-fold, and its envelope. */
export const LINE_LIMIT = 2 * 1024 * 1024;

export type FileLine = { readonly at: number; readonly end: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'invalid'; readonly bytes: Buffer }
  | { readonly kind: 'oversized' }
);

/** Gets a line; false: it is not taken, and nothing after it is wanted. */
export type TakeLine = (line: FileLine) => boolean;

const NEWLINE = 10;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Yields the lines of a file from `from` to its last newline; empty lines are skipped.
 *
 * @returns the offset after the last newline
 */
export const lines = (disk: Disk, fd: number, from = 0, limit = LINE_LIMIT): Generator<FileLine, number> =>
  linesIn(chunks(disk, fd, from), from, limit);

/** {@link lines} of pieces that follow each other; the first one begins at `from`. A piece may be reused afterwards. */
export function* linesIn(pieces: Iterable<Buffer>, from: number, limit: number): Generator<FileLine, number> {
  let start = from;
  let kept: Buffer[] = [];
  let keptSize = 0;
  let at = from;
  for (const chunk of pieces) {
    // Most chunks are plain ASCII; then a line is a part of one string.
    const plain = isAscii(chunk) ? chunk.toString('latin1') : undefined;
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const next = at + end + 1;
      const size = keptSize + end - begin;
      if (size > limit) yield { kind: 'oversized', at: start, end: next };
      else if (size > 0 && keptSize === 0 && plain !== undefined)
        yield { kind: 'text', at: start, end: next, text: plain.slice(begin, end) };
      else if (size > 0) yield decoded(Buffer.concat([...kept, chunk.subarray(begin, end)]), { at: start, end: next });
      if (keptSize > 0) kept = [];
      keptSize = 0;
      begin = end + 1;
      start = next;
    }
    keptSize += chunk.length - begin;
    if (keptSize <= limit) kept.push(Buffer.from(chunk.subarray(begin)));
    else kept = [];
    at += chunk.length;
  }
  return start;
}

/**
 * Passes on the lines of an ASCII text that begins at `from`, as {@link linesIn} yields them.
 *
 * @returns the offset after the last newline; undefined if a line was not taken
 */
export function takeLinesOf(text: string, from: number, take: TakeLine): number | undefined {
  let begin = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
    const line = { kind: 'text', at: from + begin, end: from + end + 1, text: text.slice(begin, end) } as const;
    if (end > begin && !take(line)) return undefined;
    begin = end + 1;
  }
  return from + begin;
}

function decoded(bytes: Buffer, place: { at: number; end: number }): FileLine {
  try {
    return { kind: 'text', ...place, text: strict.decode(bytes) };
  } catch {
    // Not UTF-8: the caller sets it aside with its bytes.
    return { kind: 'invalid', ...place, bytes };
  }
}
