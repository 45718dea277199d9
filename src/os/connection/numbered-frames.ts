/**
 * How a connection carries several texts at once: each is a frame of a number, a length and its bytes in UTF-8. An answer
 * has the number of its question.
 */

/** The number, and the length of what follows. */
const HEADER_BYTES = 8;
/** No number is greater: the next one is 0 again. */
export const MOST_NUMBER = 0xffff_ffff;

interface NumberedText {
  readonly number: number;
  readonly bytes: Buffer;
}

export function numberedFrame(number: number, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const made = Buffer.allocUnsafe(HEADER_BYTES + length);
  made.writeUInt32BE(number, 0);
  made.writeUInt32BE(length, 4);
  made.write(text, HEADER_BYTES, 'utf8');
  return made;
}

/** Puts together what one end of a connection sends. It holds at most about twice the bytes that have come. */
export class NumberedFrames {
  readonly #mostBytes: number;
  /** The beginning of a frame: the first `#size` bytes of it. */
  #held = Buffer.alloc(0);
  #size = 0;

  /** @param mostBytes of a text */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /**
   * @returns the texts that are whole now
   * @throws RangeError for a frame that says it is longer than a text may be: what follows cannot be read
   */
  *read(chunk: Buffer): Generator<NumberedText> {
    let rest = chunk;
    while (this.#size > 0 || rest.length > 0) {
      // A frame that came as a whole is not copied.
      if (this.#size > 0) rest = this.#hold(rest);
      const from = this.#size > 0 ? this.#held.subarray(0, this.#size) : rest;
      const end = this.#endOf(from);
      if (from.length < end) {
        if (this.#size === 0) this.#hold(rest);
        return;
      }
      yield { number: from.readUInt32BE(0), bytes: from.subarray(HEADER_BYTES, end) };
      if (this.#size === 0) rest = rest.subarray(end);
      else [this.#held, this.#size] = [Buffer.alloc(0), 0];
    }
  }

  /** Where the frame ends that these bytes begin; where its header ends as long as that is not whole. */
  #endOf(bytes: Buffer): number {
    if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
    const length = bytes.readUInt32BE(4);
    if (length > this.#mostBytes) throw new RangeError(`A text of ${String(length)} bytes is too long.`);
    return HEADER_BYTES + length;
  }

  /** Takes from the bytes what belongs to the frame that is held. @returns the others */
  #hold(bytes: Buffer): Buffer {
    let rest = bytes;
    for (;;) {
      const end = this.#endOf(this.#held.subarray(0, this.#size));
      const part = rest.subarray(0, end - this.#size);
      if (part.length === 0) return rest;
      const size = this.#size + part.length;
      if (size > this.#held.length) {
        const grown = Buffer.allocUnsafe(Math.min(Math.max(size, 2 * this.#held.length), end));
        this.#held.copy(grown, 0, 0, this.#size);
        this.#held = grown;
      }
      part.copy(this.#held, this.#size);
      this.#size = size;
      rest = rest.subarray(part.length);
    }
  }
}
