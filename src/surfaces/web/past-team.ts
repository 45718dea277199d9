/** One team's past for the page: the same rows as now, made of what had happened by a moment. */
import { runCooperatively } from './cooperative.ts';
import { asJson } from './json.ts';
import { LiveModel } from './live-model.ts';
import { eventRow } from './wire-rows.ts';
import { TeamPlayback, type TeamPaths, type TeamWatchOptions } from '../../app.ts';

/** A moment: an event's number, or milliseconds since 1970. */
export type PastWanted = { readonly event: number } | { readonly at: number };

/** Events that are sent with a moment. */
const SHOWN_EVENTS = 1_000;

export class PastTeam {
  readonly #place: { readonly id: string; readonly isArchived: boolean; readonly paths: TeamPaths };
  readonly #prices: TeamWatchOptions['prices'];
  #playback: TeamPlayback | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    place: { readonly id: string; readonly isArchived: boolean; readonly paths: TeamPaths },
    prices: TeamWatchOptions['prices'],
  ) {
    this.#place = place;
    this.#prices = prices;
  }

  /**
   * One request after the other: they move one playback.
   *
   * @param known how many events the team has now, as far as the page knows
   * @returns a `PastAnswer` as JSON
   * @throws UsageError `USAGE` before the first event
   */
  show(wanted: PastWanted, known: number): Promise<string> {
    const shown = this.#last.then(() => this.#show(wanted, known));
    this.#last = shown.catch(() => {});
    return shown;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#playback?.close();
  }

  async #show(wanted: PastWanted, known: number): Promise<string> {
    if (this.#playback === undefined || this.#playback.place.events < known) {
      this.#playback?.close();
      this.#playback = undefined;
      this.#playback = await TeamPlayback.open(this.#place.paths, this.#prices);
    }
    const playback = this.#playback;
    await playback.moveTo('event' in wanted ? wanted.event : playback.numberAt({ kind: 'time', ms: wanted.at }));
    const model = new LiveModel({ ...this.#place, of: '' }, playback);
    await runCooperatively(model.look());
    const events = playback.lately(SHOWN_EVENTS).map(eventRow);
    return `{"place":${asJson(playback.place)},"update":${model.update(0, events)}}`;
  }
}
