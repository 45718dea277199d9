/**
 * What a relay waits for between two rounds. A wake costs no event and no signal: a relay is woken several times for each
 * message. Its timer stays set when it is woken early, so that a second has one timer.
 */
import type { Clock } from '../../model/text/clock.ts';

export class RelayWake {
  readonly #clock: Clock;
  readonly #ended = new AbortController();
  #isWoken = false;
  #goOn: (() => void) | undefined;
  /** When the timer ends, by the clock. */
  #timedTo = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the wait; if nobody waits, the next wait ends at once. */
  readonly wake = (): void => {
    this.#isWoken = true;
    this.#goOn?.();
  };

  /**
   * Resolves when it is woken, or was woken since the last wait; perhaps earlier.
   *
   * @param end when it resolves at the latest, by the clock (`monotonic`): a time, since one that is worked out anew from a
   *   rest differs in its last digits, and would have a timer of its own
   */
  async wait(end: number): Promise<void> {
    if (!this.#isWoken) {
      this.#timeTo(end);
      await new Promise<void>((resolve) => (this.#goOn = resolve));
    }
    this.#goOn = undefined;
    this.#isWoken = false;
  }

  /** The last wait is over: no timer is left. */
  end(): void {
    this.#ended.abort();
  }

  #timeTo(end: number): void {
    if (end >= this.#timedTo) return;
    this.#timedTo = end;
    void this.#clock.sleep(Math.max(end - this.#clock.monotonic(), 0), this.#ended.signal).then(() => {
      if (this.#timedTo === end) this.#timedTo = Number.POSITIVE_INFINITY;
      this.wake();
    });
  }
}
