/** Records the looks of a lead with what was decided, for replays. */
import { timestamp } from '../../model/text/clock.ts';
import { plainVerdict } from '../../model/team/look-record.ts';
import { LookWriter } from '../../policy/look-record.ts';
import type { Limits, Sighting, Verdict } from '../../policy/sighting.ts';
import { SightingLog } from '../../store/board/sightings.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

export class LookRecorder {
  readonly #store: TeamStore;
  readonly #epoch: number;
  readonly #writer: LookWriter;
  readonly #log: SightingLog;

  constructor(store: TeamStore, epoch: number, limits: Limits) {
    this.#store = store;
    this.#epoch = epoch;
    this.#writer = new LookWriter(limits);
    this.#log = new SightingLog(store);
  }

  /**
   * @param board how much of the board's log the judged board has folded, in bytes
   * @param now the moment of the look, in whole milliseconds
   */
  record(sighting: Sighting, verdicts: readonly Verdict[], board: number, now: number): void {
    const plain = verdicts.map(plainVerdict);
    const difference = this.#writer.difference(sighting, now, `${board} ${JSON.stringify(plain)}`);
    if (difference === undefined) return;
    const at = timestamp(this.#store.clock.now());
    const isKept = this.#log.append({ type: 'look', at, epoch: this.#epoch, board, ...difference, verdicts: plain });
    if (!isKept) this.#writer.lost();
  }

  close(): void {
    this.#log.close();
  }
}
