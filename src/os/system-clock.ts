/** The real clock: the only place that reads the time and sleeps. */
import process from 'node:process';
import type { Clock } from '../model/text/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  // The same clock as `performance.now()`, which loads a module of its own at its first use.
  monotonic: () => Number(process.hrtime.bigint()) / 1e6,
  // That of node:timers/promises makes an error with its stack whenever it is aborted, and a view is woken often.
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal?.addEventListener('abort', wake);
    }),
};
