/** The real clock: the only place that reads the time and sleeps. */
import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../model/text/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  // The same clock as `performance.now()`, which loads a module of its own at its first use.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  async sleep(ms, signal) {
    try {
      await setTimeout(ms, undefined, signal ? { signal } : {});
    } catch {
      // Aborted: the caller checks its signal itself.
    }
  },
};
