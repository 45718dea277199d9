/** A clock that runs faster than real time, for the delays of supervision, which are fixed and longer than a test. */
import type { Clock } from '../../src/model/text/clock.ts';
import { realClock } from './clock.ts';

export interface FastClock extends Clock {
  /** From now on time passes this many times as fast. */
  race(times: number): void;
  /** As after a sleep of the host: this many milliseconds have passed without any process running. */
  jump(ms: number): void;
}

export function fastClock(): FastClock {
  let [times, since, passed] = [1, realClock.monotonic(), realClock.monotonic()];
  const monotonic = (): number => passed + (realClock.monotonic() - since) * times;
  return {
    now: () => realClock.now(),
    monotonic,
    sleep: (ms, signal) => realClock.sleep(ms / times, signal),
    jump(ms) {
      passed += ms;
    },
    race(wanted) {
      passed = monotonic();
      since = realClock.monotonic();
      times = wanted;
    },
  };
}
