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

/** Formats wall time; reads no clock. */
export const timestamp = (ms: number): Timestamp => new Date(ms).toISOString();
