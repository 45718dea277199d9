/**
 * Time that passed on the wall clock and in which nothing ran: the machine was paused, or the clock was set. The lead
 * measures it and records it as `lead.lost_time`; durations that are told leave it out.
 */

/** From one look at the clocks to the next, in milliseconds since 1970. */
interface Loss {
  readonly from: number;
  readonly to: number;
  /** How much of it nothing ran; below 0 if the clock was set back. */
  readonly ms: number;
}

export class LostTime {
  readonly #losses: Loss[] = [];

  /** Adds an event of the team; others than `lead.lost_time` are ignored. */
  add(event: { readonly type: string; readonly at: string }): void {
    if (event.type !== 'lead.lost_time' || !('from' in event && 'ms' in event)) return;
    const { at, from, ms } = event;
    if (typeof from !== 'string' || typeof ms !== 'number') return;
    const loss = { from: Date.parse(from), to: Date.parse(at), ms };
    if (Number.isFinite(loss.from) && Number.isFinite(loss.to)) this.#losses.push(loss);
  }

  /** Milliseconds between two times, without what was lost; never negative. */
  between(from: number, to: number): number {
    const passed = to - from - this.#paused(from, to);
    const back = to < from ? this.#losses.find((one) => one.ms < 0 && one.from >= from && one.to <= to) : undefined;
    return Math.max(0, passed - (back?.ms ?? 0));
  }

  /** A time on a clock that stands still where time was lost; for times in their order. */
  running(at: number): number {
    return at - this.#paused(-Infinity, at);
  }

  #paused(from: number, to: number): number {
    let sum = 0;
    for (const loss of this.#losses) {
      const within = Math.min(to, loss.to) - Math.max(from, loss.from);
      if (loss.ms > 0 && within > 0) sum += loss.ms * (within / (loss.to - loss.from));
    }
    return Math.round(sum);
  }
}
