/** Clocks for tests: the real one, and one that moves only when the test moves it. */
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../src/model/text/clock.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => undefined),
};

/** Time passes by {@link advance} and by every sleep; a sleep takes no real time. */
export class FakeClock implements Clock {
  #monotonic = 0;
  readonly #epoch: number;

  constructor(epoch = Date.UTC(2026, 0, 1)) {
    this.#epoch = epoch;
  }

  now(): number {
    return this.#epoch + Math.trunc(this.#monotonic);
  }

  monotonic(): number {
    return this.#monotonic;
  }

  async sleep(ms: number): Promise<void> {
    this.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
  }

  advance(ms: number): void {
    this.#monotonic += ms;
  }
}
