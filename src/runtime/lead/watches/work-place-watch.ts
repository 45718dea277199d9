/**
 * Notices that the team's working directory was removed in mid-run. Members claim nothing then, and an attempt that
 * fails without it goes back. Only a directory that stays away ends the run: a checkout may remove it and make it again.
 */
import type { StoreError } from '../../../model/text/errors.ts';
import type { TeamStore } from '../../../store/team/team-store.ts';
import { missingWorkPlace } from '../../../store/team/work-place.ts';
import { readableConfig } from '../../../store/team/team-reader.ts';

const MAY_BE_AWAY_MS = 2_000;

export class WorkPlaceWatch {
  readonly #store: TeamStore;
  #awaySince: number | undefined;
  #isTold = false;

  constructor(store: TeamStore) {
    this.#store = store;
  }

  /** @returns why the work cannot go on; undefined while the directory is there, or was until a moment ago */
  look(): StoreError | undefined {
    const { disk, paths, clock, events } = this.#store;
    const missing = missingWorkPlace(disk, paths, readableConfig(this.#store));
    if (missing === undefined) {
      this.#awaySince = undefined;
      this.#isTold = false;
      return undefined;
    }
    this.#awaySince ??= clock.monotonic();
    if (clock.monotonic() - this.#awaySince < MAY_BE_AWAY_MS) return undefined;
    if (!this.#isTold) this.#isTold = events.append({ type: 'team.place_lost', text: missing.message }) === undefined;
    return missing;
  }
}
