/** The figures of a stress run: each test that counts something says so; `scripts/stress.mjs` makes a table of it. */
import { appendFileSync } from 'node:fs';

export interface Figure {
  readonly area: string;
  /** How often it was tried. */
  readonly count: number;
  readonly violations: number;
  /** Milliseconds that it took, where that is of interest. */
  readonly times?: readonly number[];
}

/** The value below which so many of a hundred lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

/** Writes a figure down for the table, and says its times, which are shown and not judged, on a loaded machine. */
export function figure({ area, count, violations, times }: Figure): void {
  const spread = times && { p50: percentile(times, 50), p99: percentile(times, 99) };
  const file = process.env['TEAMS_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ area, count, violations, ...spread })}\n`);
  else if (spread) console.log(`${area}: p50 ${spread.p50.toFixed(1)} ms, p99 ${spread.p99.toFixed(1)} ms of ${count}`);
}
