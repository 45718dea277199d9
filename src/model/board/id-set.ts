/**
 * A set of task ids that is small and walks in the order of the ids: one bit an id, in chunks, without the empty ones.
 * A set that comes from a checkpoint is loaded when it is first asked for more than its size.
 */

/** Ids of a chunk. */
const SPAN = 1_024;
const WORDS = SPAN / 32;
/** A chunk as bytes: its number, then its bits. */
const ENTRY = 4 + SPAN / 8;

type Chunk = Uint32Array;

export class IdSet {
  #size: number;
  #chunks: (Chunk | undefined)[] = [];
  /** Until it is loaded. */
  #load: (() => Uint8Array) | undefined;

  /**
   * @param stored a set that is kept elsewhere: its size, and how its bytes are read. What is read is believed: it was
   * checked when it was read
   */
  constructor(stored?: { readonly size: number; readonly load: () => Uint8Array }) {
    this.#size = stored?.size ?? 0;
    this.#load = stored?.load;
  }

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    const chunk = this.#all()[Math.floor(id / SPAN)];
    return chunk !== undefined && ((chunk[wordOf(id)] ?? 0) & bitOf(id)) !== 0;
  }

  /** @returns whether it was not in the set */
  add(id: number): boolean {
    const chunks = this.#all();
    const at = Math.floor(id / SPAN);
    while (chunks.length <= at) chunks.push(undefined);
    const chunk = (chunks[at] ??= new Uint32Array(WORDS));
    const word = wordOf(id);
    const bit = bitOf(id);
    const bits = chunk[word] ?? 0;
    if ((bits & bit) !== 0) return false;
    chunk[word] = bits | bit;
    this.#size += 1;
    return true;
  }

  /** @returns whether it was in the set */
  delete(id: number): boolean {
    const chunks = this.#all();
    const at = Math.floor(id / SPAN);
    const chunk = chunks[at];
    if (chunk === undefined) return false;
    const place = wordOf(id);
    const bit = bitOf(id);
    const bits = chunk[place] ?? 0;
    if ((bits & bit) === 0) return false;
    const word = bits & ~bit;
    chunk[place] = word;
    if (word === 0 && chunk.every((other) => other === 0)) chunks[at] = undefined;
    this.#size -= 1;
    return true;
  }

  /** Lowest id first. An id that is added or deleted meanwhile may be met or not. */
  *[Symbol.iterator](): Generator<number> {
    const chunks = this.#all();
    for (let at = 0; at < chunks.length; at += 1) {
      const chunk = chunks[at];
      if (chunk === undefined) continue;
      for (let word = 0; word < WORDS; word += 1)
        for (let bits = chunk[word] ?? 0; bits !== 0; bits &= bits - 1)
          yield at * SPAN + word * 32 + 31 - Math.clz32(bits & -bits);
    }
  }

  /** Those that another set does not have, lowest id first: costs one step for 32 ids that both have. */
  *beyond(other: IdSet): Generator<number> {
    const [chunks, known] = [this.#all(), other.#all()];
    for (let at = 0; at < chunks.length; at += 1) {
      const [chunk, same] = [chunks[at], known[at]];
      if (chunk === undefined) continue;
      for (let word = 0; word < WORDS; word += 1)
        for (let bits = (chunk[word] ?? 0) & ~(same?.[word] ?? 0); bits !== 0; bits &= bits - 1)
          yield at * SPAN + word * 32 + 31 - Math.clz32(bits & -bits);
    }
  }

  /** Highest id first. */
  *backwards(): Generator<number> {
    const chunks = this.#all();
    for (let at = chunks.length - 1; at >= 0; at -= 1) {
      const chunk = chunks[at];
      if (chunk === undefined) continue;
      for (let word = WORDS - 1; word >= 0; word -= 1)
        for (let bits = chunk[word] ?? 0; bits !== 0;) {
          const high = 31 - Math.clz32(bits);
          yield at * SPAN + word * 32 + high;
          bits &= ~(1 << high);
        }
    }
  }

  /** What {@link IdSet} reads again; the same for equal sets. */
  bytes(): Uint8Array {
    const chunks = this.#all().flatMap((chunk, at) => (chunk === undefined ? [] : [{ chunk, at }]));
    const bytes = new Uint8Array(chunks.length * ENTRY);
    const view = new DataView(bytes.buffer);
    for (const [entry, { chunk, at }] of chunks.entries()) {
      view.setUint32(entry * ENTRY, at, true);
      for (let word = 0; word < WORDS; word += 1) view.setUint32(entry * ENTRY + 4 + word * 4, chunk[word] ?? 0, true);
    }
    return bytes;
  }

  #all(): (Chunk | undefined)[] {
    if (this.#load !== undefined) {
      this.#chunks = chunksOf(this.#load());
      this.#load = undefined;
    }
    return this.#chunks;
  }
}

const wordOf = (id: number): number => Math.floor((id % SPAN) / 32);
const bitOf = (id: number): number => 1 << (id % 32);

function chunksOf(bytes: Uint8Array): (Chunk | undefined)[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunks: (Chunk | undefined)[] = [];
  for (let entry = 0; entry + ENTRY <= bytes.length; entry += ENTRY) {
    const at = view.getUint32(entry, true);
    while (chunks.length <= at) chunks.push(undefined);
    const chunk = new Uint32Array(WORDS);
    for (let word = 0; word < WORDS; word += 1) chunk[word] = view.getUint32(entry + 4 + word * 4, true);
    chunks[at] = chunk;
  }
  return chunks;
}
