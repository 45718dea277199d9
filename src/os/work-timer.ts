/**
 * A time limit that counts only time in which this process could run. After a pause of the whole machine (a frozen
 * container, a stopped virtual machine) work continues where it was, and its limit must too: a plain timer would fire at
 * the wake-up.
 */
import { realClock } from './system-clock.ts';

/** The limit is looked at this often. */
const TICK_MS = 1_000;
/** A tick that comes later than this was held up by a pause, not by load; then it counts as one tick. */
const MOST_LATE_MS = 2_000;

/**
 * Calls `done` once, after `ms` milliseconds of running time.
 * @returns ends the wait; may be called more than once
 */
export function afterRunning(
  ms: number,
  done: () => void,
  monotonic = (): number => realClock.monotonic(),
  keepsAlive = true,
): () => void {
  let left = ms;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const step = Math.min(TICK_MS, left);
    const began = monotonic();
    timer = setTimeout(() => {
      const passed = monotonic() - began;
      left -= passed > step + MOST_LATE_MS ? step : Math.max(passed, 1);
      if (left < 1) done();
      else wait();
    }, step);
    if (!keepsAlive) timer.unref();
  };
  wait();
  return () => clearTimeout(timer);
}

/**
 * Like {@link afterRunning}; time in which a turn waited for a person does not count.
 *
 * @param heldMs milliseconds of such time so far; it only grows
 */
export function afterUnheld(ms: number, done: () => void, heldMs: () => number = () => 0): () => void {
  let before = heldMs();
  let cancel: () => void = () => undefined;
  const wait = (left: number): void => {
    cancel = afterRunning(left, () => {
      const now = heldMs();
      if (now <= before) return done();
      const more = now - before;
      before = now;
      wait(more);
    });
  };
  wait(ms);
  return () => cancel();
}

/** Aborts after `ms` milliseconds of running time. Keeps no process alive. */
export function runningLimit(ms: number): AbortSignal {
  const limit = new AbortController();
  afterRunning(ms, () => limit.abort(), undefined, false);
  return limit.signal;
}

/** Milliseconds of running time since its start. Look at it at least every second. */
export class RunningTime {
  readonly #monotonic: () => number;
  #last: number;
  #sum = 0;

  constructor(monotonic = (): number => realClock.monotonic()) {
    this.#monotonic = monotonic;
    this.#last = monotonic();
  }

  start(): void {
    this.#last = this.#monotonic();
    this.#sum = 0;
  }

  look(): number {
    const now = this.#monotonic();
    const passed = now - this.#last;
    this.#last = now;
    this.#sum += passed > TICK_MS + MOST_LATE_MS ? TICK_MS : passed;
    return this.#sum;
  }
}
