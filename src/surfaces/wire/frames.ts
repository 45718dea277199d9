/**
 * JSON-RPC over a stream, one message a line, as MCP and ACP have it. A frame above the limit is skipped to its end, and
 * only its size and its id are kept, so that its sender gets an answer.
 */
import { outputTail } from '../../app.ts';

/** Bytes of one frame. */
export const MOST_FRAME_BYTES = 10 * 1024 * 1024;
/** Bytes at each end of an oversized frame in which its id is looked for. */
const ENDS_BYTES = 1_024;

type FrameId = string | number;

type Frame =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'oversized'; readonly bytes: number; readonly id: FrameId | undefined };

/** What a frame says: a JSON value, or the error to answer it with. */
export type HeardFrame =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string; readonly id: FrameId | undefined };

/** Codes of JSON-RPC 2.0. */
const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;

export class FrameReader {
  /** Grows with the frame, also where that comes byte by byte. */
  #begun = outputTail(MOST_FRAME_BYTES);
  #bytes = 0;
  /** The ends of a frame above the limit. */
  #oversized: { readonly head: string; tail: Buffer } | undefined;

  /** Yields what the frames say that this chunk completes. Blank lines are left out. */
  *push(chunk: Buffer): Generator<HeardFrame> {
    let rest = chunk;
    for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
      this.#add(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const heard = heardIn(this.#taken());
      if (heard !== undefined) yield heard;
    }
    this.#add(rest);
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#oversized !== undefined) {
      this.#oversized.tail = lastOf(Buffer.concat([this.#oversized.tail, lastOf(piece)]));
    } else if (this.#bytes <= MOST_FRAME_BYTES) {
      if (piece.length > 0) this.#begun.push(piece);
    } else {
      const begun = this.#begun.bytes();
      this.#begun = outputTail(MOST_FRAME_BYTES);
      const head = Buffer.concat([begun.subarray(0, ENDS_BYTES), piece.subarray(0, ENDS_BYTES)]);
      const tail = lastOf(Buffer.concat([lastOf(begun), lastOf(piece)]));
      this.#oversized = { head: head.toString('utf8', 0, ENDS_BYTES), tail };
    }
  }

  #taken(): Frame {
    const [begun, bytes, oversized] = [this.#begun, this.#bytes, this.#oversized];
    if (bytes > 0) this.#begun = outputTail(MOST_FRAME_BYTES);
    [this.#bytes, this.#oversized] = [0, undefined];
    if (oversized === undefined) return { kind: 'line', text: begun.bytes().toString('utf8') };
    return { kind: 'oversized', bytes, id: idOf(oversized.head, oversized.tail.toString('utf8')) };
  }
}

const lastOf = (piece: Buffer): Buffer => piece.subarray(Math.max(0, piece.length - ENDS_BYTES));

const VALUE = String.raw`("(?:[^"\\]|\\.){0,200}"|-?\d{1,15})`;
/** Only keys with simple values are before it, so that it is a key of the message itself. */
const FIRST_ID = new RegExp(String.raw`^\s*\{(?:\s*"[^"\\]*"\s*:\s*${VALUE}\s*,)*?\s*"id"\s*:\s*${VALUE}\s*[,}]`);
/** One brace ends the frame, so that it is a key of the message itself. */
const LAST_ID = new RegExp(String.raw`[,{]\s*"id"\s*:\s*${VALUE}\s*\}\s*$`);

function heardIn(frame: Frame): HeardFrame | undefined {
  const refused = (code: number, message: string, id?: FrameId): HeardFrame => ({ kind: 'refused', code, message, id });
  if (frame.kind === 'oversized') {
    const text = `The message has ${frame.bytes} bytes; at most ${MOST_FRAME_BYTES} are read.`;
    return refused(INVALID_REQUEST, text, frame.id);
  }
  if (frame.text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(frame.text);
    if (Array.isArray(value)) return refused(INVALID_REQUEST, 'Batches are not supported: send one message a line.');
    return { kind: 'value', value };
  } catch {
    return refused(PARSE_ERROR, 'The line is not JSON.');
  }
}

function idOf(head: string, tail: string): FrameId | undefined {
  const found = FIRST_ID.exec(head)?.[2] ?? LAST_ID.exec(tail)?.[1];
  if (found === undefined) return undefined;
  return found.startsWith('"') ? stringOf(found) : Number(found);
}

function stringOf(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
