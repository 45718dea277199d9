/**
 * The figures of a stress run: each test that counts something writes a line; `scripts/stress.mjs` makes a table of
 * them.
 */
import { appendFileSync } from 'node:fs';

export interface Figure {
  readonly area: string;
  /** The number of tries. */
  readonly count: number;
  readonly violations: number;
  /** Milliseconds of each try, if they matter. */
  readonly times?: readonly number[];
}

/** The value below which `share` percent of the values are. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

/**
 * Writes a figure for the table, and prints its times. They are shown and not judged, because the machine may be
 * loaded.
 */
export function figure({ area, count, violations, times }: Figure): void {
  const spread = times && { p50: percentile(times, 50), p99: percentile(times, 99) };
  const file = process.env['TEAMS_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ area, count, violations, ...spread })}\n`);
  else if (spread) console.log(`${area}: p50 ${spread.p50.toFixed(1)} ms, p99 ${spread.p99.toFixed(1)} ms of ${count}`);
}
