/**
 * JSON objects, one a line, from a stream that may hold anything. Pure; memory is bounded by the longest line, also where
 * it comes byte by byte.
 */
import { jsonOf } from '../../model/text/plain-fields.ts';
import { outputTail } from '../../os/output-tail.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

type JsonLine =
  | { readonly kind: 'message'; readonly value: JsonObject }
  /** A line that is not a message: for the log, shortened; `length` is that of the whole line. */
  | { readonly kind: 'noise'; readonly text: string; readonly length: number }
  /** Longer than any message may be; nothing after it is read. */
  | { readonly kind: 'endless' };

const NEWLINE = 0x0a;
/** Bytes of one message. A tool's whole answer may be in it. */
const LONGEST_LINE = 32 * 1024 * 1024;
/** Characters that are kept of a line that is not a message. */
const TOLD = 2_000;

/** @returns a function that takes a stream's pieces in order, and returns the lines that each completes */
export function jsonLines(): (bytes: Buffer) => JsonLine[] {
  let begun = outputTail(LONGEST_LINE);
  let length = 0;
  let isEndless = false;

  const drop = (): void => {
    begun = outputTail(LONGEST_LINE);
    length = 0;
  };
  const finish = (last: Buffer): JsonLine[] => {
    const isWhole = length === last.length;
    if (!isWhole) begun.push(last);
    const text = (isWhole ? last : begun.bytes()).toString('utf8').trim();
    drop();
    return text === '' ? [] : [readLine(text)];
  };
  return (bytes) => {
    const lines: JsonLine[] = [];
    for (let from = 0; !isEndless && from <= bytes.length;) {
      const end = bytes.indexOf(NEWLINE, from);
      const piece = bytes.subarray(from, end < 0 ? bytes.length : end);
      length += piece.length;
      isEndless = length > LONGEST_LINE;
      if (isEndless) drop();
      else if (end >= 0) lines.push(...finish(piece));
      // A copy: the piece is a view of a buffer that would otherwise be kept whole.
      else if (piece.length > 0) begun.push(piece);
      if (end < 0) break;
      from = end + 1;
    }
    return isEndless ? [...lines, { kind: 'endless' }] : lines;
  };
}

function readLine(text: string): JsonLine {
  const value = jsonOf(text);
  return isObject(value)
    ? { kind: 'message', value }
    : { kind: 'noise', text: text.slice(0, TOLD), length: text.length };
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
