/** The v8 reference protocol in Node: lock file by `O_EXCL`, 50 tries 50 ms apart, append, unlink. */
import { appendFileSync, closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { bodiesIn, inboxIn, lineOf } from './lines.mjs';

async function acquire(lock) {
  for (let tries = 0; tries < 50; tries += 1) {
    try {
      return closeSync(openSync(lock, 'wx'));
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      await setTimeout(50);
    }
  }
  return undefined; // As the reference does: it stops waiting and writes without the lock.
}

export function writer({ dir, who }) {
  const lock = join(dir, 'inbox.lock');
  return {
    async write(bodies) {
      for (const body of bodies) {
        await acquire(lock);
        try {
          appendFileSync(inboxIn(dir), lineOf(who, body));
        } finally {
          rmSync(lock, { force: true });
        }
      }
    },
  };
}

export const collect = (dir) => bodiesIn(inboxIn(dir));
