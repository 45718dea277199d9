/**
 * The pause that a vendor asked for, shared by all members of a team through one small file. No member calls before it
 * ends, and several refusals in the same pause count once (policy/backoff.ts).
 */
import { answeredAt, LONGEST_ASKED_MS, NO_PAUSE, refusedAt, type VendorPause } from '../../policy/backoff.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

export class VendorPace {
  readonly #store: TeamStore;
  readonly #vendor: string;
  /** When the last call began. */
  #calledAt = 0;
  /** The pause as this process first saw it, and its end on the monotonic clock. */
  #seen: { readonly until: number; readonly deadline: number } | undefined;

  constructor(store: TeamStore, vendor: string) {
    this.#store = store;
    this.#vendor = vendor;
  }

  /** Milliseconds until the vendor may be called; never more than the pause's own length, whatever the clock does. */
  left(): number {
    const { clock } = this.#store;
    const { until, length = LONGEST_ASKED_MS } = this.#pause();
    const left = Math.max(0, Math.min(until - clock.now(), length));
    if (this.#seen?.until !== until) this.#seen = { until, deadline: clock.monotonic() + left };
    return Math.max(0, Math.min(left, this.#seen.deadline - clock.monotonic()));
  }

  /** Records that a call begins now. */
  calls(): void {
    this.#calledAt = this.#store.clock.now();
  }

  /**
   * Records that the vendor refused a call.
   *
   * @returns milliseconds until the next call
   */
  async refused(retryAfterMs: number | undefined): Promise<number> {
    const { clock } = this.#store;
    const refusal = {
      calledAt: this.#calledAt,
      now: clock.now(),
      random: Math.random(),
      retryAfterMs,
    };
    await this.#change((pause) => refusedAt(pause, refusal));
    return this.left();
  }

  /** Records that a call succeeded. */
  async answered(): Promise<void> {
    if (this.#pause().refusals > 0) await this.#change((pause) => answeredAt(pause, this.#calledAt));
  }

  #pause(): VendorPause {
    return this.#store.vendors.read()?.vendors[this.#vendor] ?? NO_PAUSE;
  }

  async #change(change: (pause: VendorPause) => VendorPause): Promise<void> {
    await this.#store.vendors.update((current) => {
      const vendors = current?.vendors ?? {};
      const next = { ...vendors[this.#vendor], ...change(vendors[this.#vendor] ?? NO_PAUSE) };
      return { next: { version: 1, ...current, vendors: { ...vendors, [this.#vendor]: next } }, result: undefined };
    });
  }
}
