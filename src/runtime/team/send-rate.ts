/**
 * How fast an agent may send mail, `agentSendRate` (docs/specification.md R2.12): a token bucket with the messages of
 * one second. It limits an agent in each of its processes; persons, leads and the runtime's own mail are not limited.
 */
import type { Clock } from '../../model/text/clock.ts';
import { ConflictError } from '../../model/text/errors.ts';
import { ENV } from '../../model/text/environment.ts';
const DEFAULT_RATE = 50;

export class SendRate {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #perSecond: number;
  #left: number;
  #at: number;

  constructor(clock: Pick<Clock, 'monotonic'>, perSecond: number) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#left = Math.max(1, perSecond);
    this.#at = clock.monotonic();
  }

  /** @throws ConflictError `QUOTA` after too many messages in the last second; then nothing is sent */
  spend(): void {
    const now = this.#clock.monotonic();
    this.#left = Math.min(Math.max(1, this.#perSecond), this.#left + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    if (this.#left < 1)
      throw new ConflictError(
        'QUOTA',
        `An agent sends at most ${this.#perSecond} messages a second; wait a moment, or raise agentSendRate.`,
      );
    this.#left -= 1;
  }
}

/** @param environment of the sending process, as its lead set it */
export function sendRateFrom(
  clock: Pick<Clock, 'monotonic'>,
  environment: Readonly<Record<string, string | undefined>>,
): SendRate {
  const rate = Number(environment[ENV.agentSendRate]);
  return new SendRate(clock, Number.isFinite(rate) && rate > 0 ? rate : DEFAULT_RATE);
}
