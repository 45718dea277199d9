/**
 * What a pack of git becomes when it is unpacked, told before git unpacks it: a pack of a megabyte can hold an object
 * of a gigabyte (https://git-scm.com/docs/gitformat-pack).
 */
import { inflateSync } from 'node:zlib';

/** Longest object, and all objects of a pack together, in bytes. */
const LIMITS = { object: 128 * 1024 * 1024, whole: 2 * 1024 * 1024 * 1024 };

const HEADER = 12;
const [BY_OFFSET, BY_NAME] = [6, 7];

/** @returns why a pack is not unpacked; undefined if it may be */
export function packRefusal(pack: Buffer, hashBytes: 20 | 32, limits = LIMITS): string | undefined {
  if (pack.length < HEADER + hashBytes || pack.toString('latin1', 0, 4) !== 'PACK') return 'it is no pack of git';
  const body = pack.subarray(0, pack.length - hashBytes);
  let [at, whole] = [HEADER, 0];
  try {
    for (let left = pack.readUInt32BE(8); left > 0; left -= 1) {
      const { kind, size, end } = headAt(body, at);
      if (size > limits.object) return tooLong(size, limits.object);
      const from = kind === BY_OFFSET ? afterNumber(body, end) : kind === BY_NAME ? end + hashBytes : end;
      const { data, used } = inflated(body.subarray(from), size);
      const becomes = kind === BY_OFFSET || kind === BY_NAME ? resultOf(data) : size;
      if (becomes > limits.object) return tooLong(becomes, limits.object);
      whole += becomes;
      if (whole > limits.whole) return `its objects are more than ${Math.ceil(limits.whole / 2 ** 20)} MiB together`;
      at = from + used;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `its pack is damaged (${error.message})`;
  }
  return undefined;
}

const tooLong = (size: number, most: number): string =>
  `an object of it is ${Math.ceil(size / 2 ** 20)} MiB, more than ${Math.ceil(most / 2 ** 20)} MiB`;

const byteAt = (bytes: Buffer, at: number): number => {
  const byte = bytes[at];
  if (byte === undefined) throw new RangeError('it ends too early');
  return byte;
};

/** The kind and the size of the object at a place: 3 bits and 4, then 7 in each byte that follows. */
function headAt(bytes: Buffer, at: number): { readonly kind: number; readonly size: number; readonly end: number } {
  const first = byteAt(bytes, at);
  if (first < 0x80) return { kind: (first >> 4) & 7, size: first & 15, end: at + 1 };
  const { value, end } = numberAt(bytes, at + 1);
  return { kind: (first >> 4) & 7, size: (first & 15) + value * 16, end };
}

/** A number with its lowest 7 bits first. One of more than 7 bytes is larger than any size. */
function numberAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let length = 0; ; length += 1) {
    const byte = byteAt(bytes, at + length);
    value += (byte & 127) * 2 ** (7 * length);
    if (byte < 0x80) return { value, end: at + length + 1 };
    if (length === 7) throw new RangeError('a number is too long');
  }
}

function afterNumber(bytes: Buffer, at: number): number {
  let end = at;
  while (byteAt(bytes, end) >= 0x80) end += 1;
  return end + 1;
}

/** What a delta makes: its second number. */
const resultOf = (delta: Buffer): number => numberAt(delta, numberAt(delta, 0).end).value;

function inflated(bytes: Buffer, size: number): { readonly data: Buffer; readonly used: number } {
  const made: unknown = inflateSync(bytes, { info: true, maxOutputLength: size + 1 });
  if (!isInflated(made) || made.buffer.length !== size) throw new RangeError('an object has another length');
  return { data: made.buffer, used: made.engine.bytesWritten };
}

/** What `info: true` gives, for which `@types/node` has no type. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

const isInflated = (made: unknown): made is Inflated =>
  typeof made === 'object' &&
  made !== null &&
  'buffer' in made &&
  made.buffer instanceof Buffer &&
  'engine' in made &&
  typeof made.engine === 'object' &&
  made.engine !== null &&
  'bytesWritten' in made.engine &&
  typeof made.engine.bytesWritten === 'number';
