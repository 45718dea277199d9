/** Bad lines that a fold met, in runs: a log with noise is reported by its places and not line by line. */
import type { FileLine } from '../files/lines.ts';

/** Bad lines of the log without an event between them. */
export interface NoiseRun {
  /** The offset of the first one. */
  readonly at: number;
  /** The offset after the last one. */
  end: number;
  lines: number;
  /** What is wrong with the first one. */
  readonly why: string;
}

/** A log that was damaged in more places is reported by its first and its last ones. */
const MOST_RUNS = 1_000;

export class NoiseRuns {
  #runs: NoiseRun[];
  #isInRun = false;

  /** @param runs those of the part of the log before, which a checkpoint covers */
  constructor(runs: readonly NoiseRun[] = []) {
    this.#runs = runs.map((run) => Object.assign({}, run));
  }

  /** An event ends a run. */
  endRun(): void {
    this.#isInRun = false;
  }

  add({ at, end }: FileLine, why: string): void {
    const last = this.#runs.at(-1);
    if (last && (this.#isInRun || this.#runs.length >= MOST_RUNS)) {
      last.end = end;
      last.lines += 1;
    } else this.#runs.push({ at, end, lines: 1, why });
    this.#isInRun = true;
  }

  /** Those since the last call. */
  take(): readonly NoiseRun[] {
    const runs = this.#runs;
    this.#runs = [];
    this.#isInRun = false;
    return runs;
  }
}
