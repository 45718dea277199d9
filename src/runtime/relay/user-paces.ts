/**
 * Writes into the user's vendor files on this machine what its machines know together: a pause that a vendor asked another
 * one for, and how many of them call it (/docs/decisions/156-a-user-on-several-machines.md).
 */
import type { Clock } from '../../model/text/clock.ts';
import { isTeamError } from '../../model/text/errors.ts';
import { NO_PAUSE } from '../../policy/backoff.ts';
import { believable, heardElsewhere } from '../../policy/governor.ts';
import type { PaceNews } from '../../store/engine/engine-news.ts';
import { realDisk } from '../../store/files/disk.ts';
import { VendorFile } from '../../store/team/vendor-file.ts';

const CREDENTIAL = /^[0-9a-f]{32}$/;

export class UserPaces {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async note(paces: readonly PaceNews[]): Promise<void> {
    for (const { credential, seconds, refusals, machines } of paces) {
      if (!CREDENTIAL.test(credential) || machines === 0) continue;
      const file = new VendorFile({ disk: realDisk, clock: this.#clock }, credential);
      const now = this.#clock.monotonic();
      const heard = { pauseMs: Math.round(seconds * 1_000), refusals, machines, now };
      if (heardElsewhere(believable(file.read() ?? NO_PAUSE, now), heard) === undefined) continue;
      try {
        await file.update((known) => ({
          next: heardElsewhere(believable(known ?? NO_PAUSE, now), heard),
          result: undefined,
        }));
      } catch (error) {
        // It is a hint: calls from here learn the same of the vendor.
        if (!isTeamError(error)) throw error;
      }
    }
  }
}
