/** Time as an argument. The real clock is in `os/system-clock.ts`; tests use their own. */
export interface Clock {
  /** Wall time in milliseconds since 1970: for display and records, never for deadlines. */
  now(): number;
  /** Milliseconds that only grow: for deadlines and ages. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or at once if `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** ISO 8601 with milliseconds, as events and reports write it. */
export type Timestamp = string;

const two = (number: number): string => (number < 10 ? `0${number}` : `${number}`);
const three = (number: number): string => (number < 100 ? `0${two(number)}` : `${number}`);

/**
 * Formats wall time; reads no clock. The same as `toISOString`, which V8 lets load the time zones of ICU, 0.8 MB of
 * memory, to write a time of none.
 */
export function timestamp(ms: number): Timestamp {
  const time = new Date(ms);
  const year = time.getUTCFullYear();
  // Years of other than four digits have a sign; a time that is none is refused.
  if (!(year >= 1_000 && year <= 9_999)) return time.toISOString();
  const day = `${year}-${two(time.getUTCMonth() + 1)}-${two(time.getUTCDate())}`;
  const clock = `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}:${two(time.getUTCSeconds())}`;
  return `${day}T${clock}.${three(time.getUTCMilliseconds())}Z`;
}
