/** Long work in slices of a few milliseconds: requests, keys and timers of the process have their turn in between. */
import { setImmediate } from 'node:timers/promises';
import { realClock } from '../../os/system-clock.ts';

const SLICE_MS = 8;

export class TimeSlices {
  #began = realClock.monotonic();

  /** Waits for other work when the slice is over. Call it after each part of less than a millisecond. */
  async pause(): Promise<void> {
    if (realClock.monotonic() - this.#began < SLICE_MS) return;
    await setImmediate();
    this.#began = realClock.monotonic();
  }
}
