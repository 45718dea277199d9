/**
 * ULIDs of one writer, each greater than the one before. The library asks the system for every random digit, which
 * costs more than writing the message; here one request serves many ids.
 */
import { randomFillSync } from 'node:crypto';
import { incrementBase32, TIME_LEN, ulid } from 'ulid';

const POOL = new Uint8Array(512);
let used = POOL.length;

/** A number from 0 to less than 1 in 256 steps: a digit takes 32 of them. */
function random(): number {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const byte = POOL[used] ?? 0;
  used += 1;
  return byte / 256;
}

/** An id has 48 bits for the time: none before 1970, none after the year 10889. The library reads 0 as "now". */
const LATEST = 2 ** 48 - 1;
const timeOf = (now: number): number => Math.min(Math.max(1, Math.trunc(now)), LATEST);

/**
 * As the library's `monotonicFactory`, but the digits of a time are made once.
 *
 * @returns a function that makes an id; its argument is the time in milliseconds, which may go back
 */
export function newIds(): (now: number) => string {
  let latest = 0;
  let time = '';
  let rest = '';
  return (now) => {
    const due = timeOf(now);
    if (due <= latest) return time + (rest = incrementBase32(rest));
    const id = ulid(due, random);
    latest = due;
    time = id.slice(0, TIME_LEN);
    rest = id.slice(TIME_LEN);
    return id;
  };
}

/** One id; the time is in milliseconds. */
export const newId = (now: number): string => ulid(timeOf(now), random);
