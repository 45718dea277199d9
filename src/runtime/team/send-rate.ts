/**
 * How fast an agent may write (SPEC §4 `agentSendRate`): a bucket of one second's messages, filled as time goes by. It
 * binds what an agent says, in each of its processes; persons, leads and the runtime's own mail are not held up.
 */
import type { Clock } from '../../model/text/clock.ts';
import { ConflictError } from '../../model/text/errors.ts';

/** Told to a member's processes by its lead. */
export const SEND_RATE_VARIABLE = 'TEAMS_AGENT_SEND_RATE';
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

  /** @throws ConflictError `QUOTA` when there were too many of late; nothing is sent then */
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

/** @param environment of the process that sends, as its lead made it */
export function sendRateFrom(
  clock: Pick<Clock, 'monotonic'>,
  environment: Readonly<Record<string, string | undefined>>,
): SendRate {
  const told = Number(environment[SEND_RATE_VARIABLE]);
  return new SendRate(clock, Number.isFinite(told) && told > 0 ? told : DEFAULT_RATE);
}
