/** The real clock: the one place where time is read and slept. */
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../model/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await setTimeout(ms, undefined, signal ? { signal } : {});
    } catch {
      // Aborted: the sleeper looks at its signal itself.
    }
  },
};
