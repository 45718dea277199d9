/**
 * Measures time in which nothing could run: a pause of the machine (a frozen container, a stopped virtual machine), or a
 * wall clock that was set. The lead looks at both clocks every second and records what was lost, so that durations in
 * views and reports can leave it out.
 */
import { timestamp, type Clock } from '../../model/text/clock.ts';
import { duration } from '../../policy/mail-wording.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** The clocks are looked at this often. */
const TICK_MS = 1_000;
/** A look that is later than this was held up by a pause, not by load. */
const MOST_LATE_MS = 5_000;
/** Less is no loss: clocks are adjusted a little all the time. */
const LEAST_MS = 2_000;

export class ClockWatch {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #events: Pick<TeamStore['events'], 'append'>;
  readonly #timer: NodeJS.Timeout;
  #wall: number;
  #monotonic: number;

  constructor({ clock, events }: Pick<TeamStore, 'clock' | 'events'>) {
    this.#clock = clock;
    this.#events = events;
    this.#wall = clock.now();
    this.#monotonic = clock.monotonic();
    this.#timer = setInterval(() => this.look(), TICK_MS);
    this.#timer.unref();
  }

  look(): void {
    const [wall, monotonic] = [this.#clock.now(), this.#clock.monotonic()];
    const [from, passed] = [this.#wall, monotonic - this.#monotonic];
    [this.#wall, this.#monotonic] = [wall, monotonic];
    const jumped = wall - from - passed;
    const paused = passed > TICK_MS + MOST_LATE_MS ? passed - TICK_MS : 0;
    const ms = Math.round((Math.abs(jumped) < LEAST_MS ? 0 : jumped) + paused);
    if (ms === 0) return;
    const long = duration(Math.abs(ms));
    const what =
      paused > 0 ? `nothing could run for ${long}` : `the clock was set ${long} ${ms > 0 ? 'ahead' : 'back'}`;
    const text = `${what}; it counts for no duration`;
    this.#events.append({ type: 'lead.lost_time', ms, from: timestamp(from), text });
  }

  close(): void {
    clearInterval(this.#timer);
    this.look();
  }
}
