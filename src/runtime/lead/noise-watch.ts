/**
 * Reports bad lines of the board's log. Every process that reads the log meets them; only the lead reports them, once:
 * one event for a run of bad lines. The run state remembers how far, for the next lead.
 */
import type { TeamStore } from '../../store/team/team-store.ts';
import { stateIn } from '../../store/team/team-reader.ts';

export class NoiseWatch {
  readonly #store: Pick<TeamStore, 'board' | 'events' | 'state'>;
  #told: number | undefined;

  constructor(store: Pick<TeamStore, 'board' | 'events' | 'state'>) {
    this.#store = store;
  }

  /** Reports what was folded since the last call. */
  async look(): Promise<void> {
    const { board, events, state } = this.#store;
    const runs = board.takeNoise();
    if (runs.length === 0) return;
    const told = (this.#told ??= stateIn(this.#store)?.noiseOffset ?? 0);
    const news = runs.filter(({ end }) => end > told);
    for (const { at, lines, why } of news)
      events.append({
        type: 'board.noise_found',
        text: `${lines === 1 ? 'a bad line' : `${lines} bad lines`} at offset ${at}: ${why}`,
      });
    const noiseOffset = news.at(-1)?.end;
    if (noiseOffset === undefined) return;
    this.#told = noiseOffset;
    await state.update((current) => ({ next: current && { ...current, noiseOffset }, result: undefined }));
  }
}
