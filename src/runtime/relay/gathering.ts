/**
 * Group commit: which processes the next transaction of a relay waits for. Those that appended a moment ago are about to
 * append again; each transaction costs a relay, the store and the other relays as much as two or three records. A process
 * that appends alone waits for nobody, and neither does mail, a lease, or news that the relay has to pass on.
 */
import type { Clock } from '../../model/text/clock.ts';

/** So long a record waits for others at most. */
const MOST_MS = 1;
/** Who has not asked again by then is at work. */
const RECENT_MS = 20;

export class Gathering {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Those who asked since the last transaction began. */
  #waiting = new Set<object>();
  /** Those whose questions are in the transaction. */
  #asked = new Set<object>();
  #isUrgent = false;
  /** How many asked, in the last transaction and while it ran. */
  #expected = 0;
  /** When the last transaction ended, by the clock. */
  #endedAt = Number.NEGATIVE_INFINITY;
  #goOn: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** @param from the process that has asked for a record to be appended */
  appends(from: object): void {
    this.#waiting.add(from);
    if (this.#isWhole) this.#goOn?.();
  }

  /** Something came that waits for nobody. */
  hurry(): void {
    this.#isUrgent = true;
    this.#goOn?.();
  }

  /** Resolves when the transaction is to begin. */
  async whole(): Promise<void> {
    if (this.#isWhole || this.#clock.monotonic() - this.#endedAt > RECENT_MS) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, MOST_MS);
      this.#goOn = (): void => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#goOn = undefined;
  }

  /** A round begins, with a transaction if somebody has asked. */
  begin(): void {
    this.#isUrgent = false;
    this.#asked = this.#waiting;
    this.#waiting = new Set();
  }

  end(): void {
    if (this.#asked.size === 0) return;
    this.#expected = new Set([...this.#asked, ...this.#waiting]).size;
    this.#endedAt = this.#clock.monotonic();
  }

  get #isWhole(): boolean {
    return this.#isUrgent || this.#waiting.size === 0 || this.#waiting.size >= this.#expected;
  }
}
