/**
 * The body of a message: short, with its sender, its number, and a checksum of both and of its text. One concatenation
 * makes it, so that making it costs the measurement nothing.
 */
import { crc32 } from 'node:zlib';

const VARIANTS = Array.from({ length: 64 }, (_, n) => `the quick brown fox ${String(n).repeat(12)}`.slice(0, 40));
const SUMS = VARIANTS.map((text) => crc32(text));

/** @param who a name without spaces */
export const bodyOf = (who, number) =>
  `${who} ${number} ${VARIANTS[number % VARIANTS.length]} ${(SUMS[number % SUMS.length] ^ number) >>> 0}`;

/** @returns sender and number, or undefined for a damaged body */
export function readBody(body) {
  const parts = /^(\S+) (\d+) (.*) (\d+)$/.exec(body ?? '');
  if (!parts) return undefined;
  const [, who, number, text, sum] = parts;
  return (crc32(text) ^ Number(number)) >>> 0 === Number(sum) ? { who, number: Number(number) } : undefined;
}

/**
 * Compares what was found with what was acknowledged.
 *
 * @param {Iterable<string>} found
 * @param {{who: string, count: number}[]} sent
 * @returns {{lost: number, damaged: number, repeated: number}}
 */
export function audit(found, sent) {
  const seen = new Map(sent.map(({ who, count }) => [who, new Uint8Array(count)]));
  const tally = { lost: 0, damaged: 0, repeated: 0 };
  for (const text of found) {
    const body = readBody(text);
    const marks = body && seen.get(body.who);
    if (!marks || body.number >= marks.length) tally.damaged += 1;
    else if (marks[body.number] === 1) tally.repeated += 1;
    else marks[body.number] = 1;
  }
  for (const marks of seen.values()) for (const mark of marks) tally.lost += 1 - mark;
  return tally;
}

export const isWhole = ({ lost, damaged, repeated }) => lost + damaged + repeated === 0;
