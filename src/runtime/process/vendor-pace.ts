/**
 * How the members of a team call one vendor, through one small file: no member calls before the pause ends that the
 * vendor asked for, several refusals in the same pause count once, and few calls are unanswered at once until the vendor
 * has answered (policy/backoff.ts).
 */
import {
  admitted,
  answeredAt,
  ended,
  isUnlimited,
  LONGEST_ASKED_MS,
  NO_PAUSE,
  refusedAt,
  type VendorPause,
} from '../../policy/backoff.ts';
import type { TeamStore } from '../../store/team/team-store.ts';

/** Milliseconds after which a member asks again for a slot. */
const ASK_AGAIN_MS = 100;

export class VendorPace {
  readonly #store: TeamStore;
  readonly #vendor: string;
  readonly #caller: string;
  /** When the last call began. */
  #calledAt = 0;
  /** Whether the last call takes a slot. */
  #isOpen = false;
  /** The pause as this process first saw it, and its end on the monotonic clock. */
  #seen: { readonly until: number; readonly deadline: number } | undefined;

  constructor(store: TeamStore, vendor: string, caller: string) {
    this.#store = store;
    this.#vendor = vendor;
    this.#caller = caller;
  }

  /**
   * Begins a call now, if the vendor may be called.
   *
   * @returns 0 if the call began; else milliseconds after which to ask again
   */
  async begin(): Promise<number> {
    const left = this.left();
    if (left > 0) return left;
    const { clock } = this.#store;
    if (!isUnlimited(this.#pause())) {
      this.#isOpen = await this.#change((pause) => admitted(pause, { caller: this.#caller, now: clock.now() }));
      if (!this.#isOpen) return ASK_AGAIN_MS;
    }
    this.#calledAt = clock.now();
    return 0;
  }

  /** Milliseconds until the vendor may be called; never more than the pause's own length, whatever the clock does. */
  left(): number {
    const { clock } = this.#store;
    const { until, length = LONGEST_ASKED_MS } = this.#pause();
    const left = Math.max(0, Math.min(until - clock.now(), length));
    if (this.#seen?.until !== until) this.#seen = { until, deadline: clock.monotonic() + left };
    return Math.max(0, Math.min(left, this.#seen.deadline - clock.monotonic()));
  }

  /**
   * Records that the vendor refused the call.
   *
   * @param retryAfterMs what the vendor asked for
   * @returns milliseconds until the next call
   */
  async refused(retryAfterMs: number | undefined): Promise<number> {
    const { clock } = this.#store;
    const refusal = {
      ...this.#call,
      now: clock.now(),
      random: Math.random(),
      retryAfterMs,
    };
    this.#isOpen = false;
    await this.#change((pause) => refusedAt(pause, refusal));
    return this.left();
  }

  /** Records that the call was answered. */
  async answered(): Promise<void> {
    if (!this.#isOpen && this.#pause().refusals === 0) return;
    this.#isOpen = false;
    await this.#change((pause) => answeredAt(pause, this.#call));
  }

  /** Records that the call is over, if it was neither answered nor refused. */
  async end(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#change((pause) => ended(pause, this.#caller));
  }

  get #call(): { readonly caller: string; readonly calledAt: number } {
    return { caller: this.#caller, calledAt: this.#calledAt };
  }

  #pause(): VendorPause {
    return this.#store.vendors.read()?.vendors[this.#vendor] ?? NO_PAUSE;
  }

  /** @returns false if nothing was to be changed */
  #change(change: (pause: VendorPause) => VendorPause | undefined): Promise<boolean> {
    return this.#store.vendors.update((current) => {
      const vendors = current?.vendors ?? {};
      const changed = change(vendors[this.#vendor] ?? NO_PAUSE);
      if (changed === undefined) return { result: false };
      const next = { ...vendors[this.#vendor], ...changed };
      return { next: { version: 1, ...current, vendors: { ...vendors, [this.#vendor]: next } }, result: true };
    });
  }
}
