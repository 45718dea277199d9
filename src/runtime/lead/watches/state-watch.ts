/**
 * Writes the state of a run when the board changed, or when another program replaced the file, at most once a second. If
 * the disk is temporarily not writable, the write is delayed.
 */
import type { Clock } from '../../../model/text/clock.ts';
import { isTransientStoreError } from '../../process/retry-disk.ts';

const EVERY_MS = 1_000;

interface StateWatchEnvironment {
  readonly clock: Clock;
  readonly write: () => Promise<void>;
  /** Whether the file is not the one that was written last. Asked in each look, so it must be cheap. */
  readonly isForeign: () => boolean;
}

export class StateWatch {
  readonly #environment: StateWatchEnvironment;
  #hasNews = false;
  #writtenAt = -Infinity;

  constructor(environment: StateWatchEnvironment) {
    this.#environment = environment;
  }

  /** Call it when the board changed. */
  changed(): void {
    this.#hasNews = true;
  }

  async keep(): Promise<void> {
    const { clock, write, isForeign } = this.#environment;
    const now = clock.monotonic();
    if (now - this.#writtenAt < EVERY_MS || !(this.#hasNews || isForeign())) return;
    this.#hasNews = false;
    this.#writtenAt = now;
    try {
      await write();
    } catch (error) {
      if (!isTransientStoreError(error)) throw error;
      this.#hasNews = true;
    }
  }
}
