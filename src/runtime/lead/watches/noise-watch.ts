/**
 * Reports bad lines of the board's log. Every process that reads the log meets them; only the lead reports them, once:
 * one event for a run of bad lines. The run state remembers how far, for the next lead.
 */
import type { TeamStore } from '../../../store/team/team-store.ts';

export class NoiseWatch {
  readonly #store: Pick<TeamStore, 'board' | 'events'>;
  #told: number;

  /** @param told the offset in the log before which an earlier lead reported all bad lines */
  constructor(store: Pick<TeamStore, 'board' | 'events'>, told = 0) {
    this.#store = store;
    this.#told = told;
  }

  /** Bad lines of the log before this offset are reported. */
  get told(): number {
    return this.#told;
  }

  /**
   * Reports what was folded since the last call.
   *
   * @returns whether there was something to report
   */
  look(): boolean {
    const { board, events } = this.#store;
    const news = board.takeNoise().filter(({ end }) => end > this.#told);
    for (const { at, lines, why } of news)
      events.append({
        type: 'board.noise_found',
        text: `${lines === 1 ? 'a bad line' : `${lines} bad lines`} at offset ${at}: ${why}`,
      });
    this.#told = news.at(-1)?.end ?? this.#told;
    return news.length > 0;
  }
}
