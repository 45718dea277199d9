/**
 * Writes the state of a run when the board changed, at most once a second. If the disk is temporarily not writable, the
 * write is delayed.
 */
import type { Clock } from '../../model/text/clock.ts';
import { isTransientStoreError } from '../process/retry-disk.ts';

const EVERY_MS = 1_000;

export class StateWatch {
  readonly #clock: Clock;
  readonly #write: () => Promise<void>;
  #hasNews = false;
  #writtenAt = -Infinity;

  constructor(clock: Clock, write: () => Promise<void>) {
    this.#clock = clock;
    this.#write = write;
  }

  /** Call it when the board changed. */
  changed(): void {
    this.#hasNews = true;
  }

  async keep(): Promise<void> {
    const now = this.#clock.monotonic();
    if (!this.#hasNews || now - this.#writtenAt < EVERY_MS) return;
    this.#hasNews = false;
    this.#writtenAt = now;
    try {
      await this.#write();
    } catch (error) {
      if (!isTransientStoreError(error)) throw error;
      this.#hasNews = true;
    }
  }
}
