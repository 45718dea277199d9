/** The timeline as rectangles. Adjacent bars that are too thin to see are merged. Pure. */
import type { SpanRow } from '../wire-types.ts';

export interface TimeScale {
  /** The times at both ends, and the pixels between them. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

export interface Bar {
  readonly left: number;
  readonly width: number;
  /** The first span of the bar; a bar has several where they are too thin to be separate. */
  readonly span: SpanRow;
  readonly count: number;
  readonly isCritical: boolean;
}

const THINNEST = 3;

export const xOf = ({ from, to, width }: TimeScale, at: number): number =>
  ((at - from) / Math.max(1, to - from)) * width;

/** @param spans of one lane, sorted by start */
export function barsOf(spans: readonly SpanRow[], context: TimeScale, critical: ReadonlySet<string>): Bar[] {
  const bars: Bar[] = [];
  for (const span of spans) {
    const left = xOf(context, span.from);
    const width = Math.max(THINNEST, xOf(context, span.to ?? context.to) - left);
    const isCritical = critical.has(span.task);
    const before = bars.at(-1);
    const touches = before !== undefined && left < before.left + before.width;
    if (touches && before.width <= 2 * THINNEST && width <= THINNEST && before.isCritical === isCritical)
      bars[bars.length - 1] = {
        ...before,
        count: before.count + 1,
        width: Math.max(before.width, left + width - before.left),
      };
    else bars.push({ left, width, span, count: 1, isCritical });
  }
  return bars;
}

/** Pixels of a time label. */
const WRITTEN = 48;

/** Round times, about one for each 120 pixels; none whose label would be cut off at the end. */
export function ticksOf({ from, to, width }: TimeScale): number[] {
  const wanted = ((to - from) / Math.max(1, width)) * 120;
  const step = STEPS.find((one) => one >= wanted) ?? wanted;
  const last = to - ((to - from) / Math.max(1, width)) * WRITTEN;
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at < last && ticks.length < 400; at += step) ticks.push(at);
  return ticks;
}

const SECOND = 1_000;
const STEPS = [
  0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400,
].map((seconds) => seconds * SECOND);

/** Spans by member or by task, each sorted by start. */
export function lanesOf(spans: Iterable<SpanRow>, by: 'member' | 'task'): Map<string, SpanRow[]> {
  const lanes = new Map<string, SpanRow[]>();
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const lane = lanes.get(span[by]);
    if (lane) lane.push(span);
    else lanes.set(span[by], [span]);
  }
  return lanes;
}
