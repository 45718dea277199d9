/**
 * Converts the runtime's counts and times for `--json`: keys in camel case, times in ISO 8601, durations in keys that
 * end in `Ms`.
 */
import { timestamp, type TeamExport, type TeamStatus } from '../../../app.ts';

type Counts = TeamStatus['tasks'];

export const countsView = ({ total, pending, in_progress: inProgress, ...rest }: Counts) => ({
  total,
  pending,
  inProgress,
  ...rest,
});

export const timelineView = ({ from, to, spans, starts, critical }: TeamExport['timeline']) => ({
  from: timestamp(from),
  to: timestamp(to),
  spans: spans.map((span) => ({
    ...span,
    from: timestamp(span.from),
    to: span.to === undefined ? undefined : timestamp(span.to),
  })),
  starts: starts.map((start) => ({ ...start, at: timestamp(start.at) })),
  critical: { tasks: critical.tasks, durationMs: critical.ms },
});
