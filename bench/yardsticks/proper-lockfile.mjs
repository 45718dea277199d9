/** proper-lockfile around an append, tuned: tried again after 1 to 5 ms instead of a second. */
import { appendFileSync } from 'node:fs';
import lockfile from 'proper-lockfile';
import { bodiesIn, inboxIn, lineOf } from './lines.mjs';

const OPTIONS = {
  realpath: false,
  retries: { retries: 100_000, minTimeout: 1, maxTimeout: 5, factor: 1.2, randomize: true },
};

export const writer = ({ dir, who }) => ({
  async write(bodies) {
    for (const body of bodies) {
      const release = await lockfile.lock(inboxIn(dir), OPTIONS);
      appendFileSync(inboxIn(dir), lineOf(who, body));
      await release();
    }
  },
});

export const collect = (dir) => bodiesIn(inboxIn(dir));
