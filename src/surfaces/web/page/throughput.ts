/** Counts completed tasks in each part of a run. Pure. */
import type { Head, SpanRow } from '../wire-types.ts';

export interface ThroughputBucket {
  readonly at: number;
  readonly ended: number;
}

const PARTS = 60;

export function throughputOf(
  spans: Iterable<SpanRow>,
  head: Pick<Head, 'firstAt' | 'lastAt'> | undefined,
): ThroughputBucket[] {
  const from = head?.firstAt ?? undefined;
  const to = head?.lastAt ?? undefined;
  if (from === undefined || to === undefined) return [];
  const width = Math.max(1_000, to - from) / PARTS;
  const ended = Array.from({ length: PARTS }, () => 0);
  for (const span of spans) {
    if (span.end !== 'completed' || span.to === null) continue;
    const part = Math.min(PARTS - 1, Math.max(0, Math.floor((span.to - from) / width)));
    ended[part] = (ended[part] ?? 0) + 1;
  }
  return ended.map((count, part) => ({ at: from + (part + 0.5) * width, ended: count }));
}
