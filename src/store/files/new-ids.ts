/**
 * ULIDs of one writer, each greater than the one before. The library asks the system for every random digit, which
 * costs more than writing the message; here one request serves many ids.
 */
import { randomFillSync } from 'node:crypto';
import { monotonicFactory, type ULIDFactory } from 'ulid';

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

/** @returns a function that makes an id; its argument is the time in milliseconds, by default now */
export const newIds = (): ULIDFactory => monotonicFactory(random);
