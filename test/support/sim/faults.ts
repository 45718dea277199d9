/** The faults of a simulated run: drawn at its start, so that the seed determines them. */
import type { Random } from './random.ts';

export interface Plan {
  /** The number of steps within which all faults occur; a fourth of the steps change something. */
  readonly within?: number;
  /** The maximum of each. */
  readonly kills?: number;
  readonly pauses?: number;
  readonly shortWrites?: number;
  /** The disk is full for a while. */
  readonly full?: boolean;
  readonly powerLoss?: boolean;
}

export class Faults {
  readonly #kills: ReadonlySet<number>;
  readonly #killsAfterChange: ReadonlySet<number>;
  readonly #pauses: ReadonlyMap<number, number>;
  readonly #shortWrites: ReadonlySet<number>;
  readonly #full: readonly [from: number, to: number];
  readonly #powerLoss: number;
  readonly #random: Random;
  #writes = 0;
  /** There are no more faults from here on. */
  isHealed = false;

  constructor(random: Random, { within = 200, kills = 0, pauses = 0, shortWrites = 0, full, powerLoss }: Plan) {
    const some = (most: number, end: number): number[] =>
      Array.from({ length: random.below(most + 1) }, () => 1 + random.below(end));
    this.#random = random;
    // Between two changes it matters little when a process dies.
    this.#kills = new Set(some(kills / 2, within));
    this.#killsAfterChange = new Set(some(kills, within / 4));
    this.#pauses = new Map(some(pauses, within).map((at) => [at, 20 + random.below(within)]));
    this.#shortWrites = new Set(some(shortWrites, within / 8));
    const from = full === true && random.chance(0.3) ? random.below(within) : Number.POSITIVE_INFINITY;
    this.#full = [from, from + random.below(40)];
    this.#powerLoss = powerLoss === true ? random.below(within) : -1;
  }

  isKilled(step: number): boolean {
    return !this.isHealed && this.#kills.has(step);
  }

  isKilledAfter(changes: number): boolean {
    return !this.isHealed && this.#killsAfterChange.has(changes);
  }

  isPowerLost(step: number): boolean {
    return !this.isHealed && step === this.#powerLoss;
  }

  isFull(step: number): boolean {
    return !this.isHealed && step >= this.#full[0] && step < this.#full[1];
  }

  /** For how many steps the next process is stopped. */
  pause(step: number): number {
    return this.isHealed ? 0 : (this.#pauses.get(step) ?? 0);
  }

  /** Asked once for each write: how much of it is written, and whether its process dies with that. */
  write(size: number): { readonly written: number; readonly isLast: boolean } {
    this.#writes += 1;
    if (this.isHealed || !this.#shortWrites.has(this.#writes)) return { written: size, isLast: false };
    return { written: this.#random.below(size + 1), isLast: this.#random.chance(0.5) };
  }
}
