/** Durations in the form that people write in plans and on the command line. */
import * as z from 'zod';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PATTERN = /^([0-9]{1,12}(?:\.[0-9]{1,6})?)(ms|s|m|h)?$/;

/** The longest delay of a platform timer, about 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

const isUnit = (text: string): text is keyof typeof UNITS => Object.hasOwn(UNITS, text);

/**
 * @param text `500ms`, `30s`, `10m`, `1.5h`; a bare number is seconds
 * @returns whole milliseconds, at least 1; undefined for anything else
 */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = 's'] = PATTERN.exec(text) ?? [];
  if (amount === undefined || !isUnit(unit)) return undefined;
  const ms = Math.round(Number(amount) * UNITS[unit]);
  return ms >= 1 && ms <= LONGEST_MS ? ms : undefined;
}

/** Why a text is no duration: a sentence. @param more what else is one */
export function noDuration(given: string | number, more = ''): string {
  const [, amount, unit = 's'] = PATTERN.exec(String(given)) ?? [];
  const isLong = amount !== undefined && isUnit(unit) && Number(amount) * UNITS[unit] > LONGEST_MS;
  const expected = isLong ? `at most ${Math.floor(LONGEST_MS / UNITS.h)}h` : `a duration such as 30s, 10m or 1h${more}`;
  return `Expected ${expected}, got ${JSON.stringify(given)}.`;
}

/** The shortest exact form: `600000` is `10m`. */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms % UNITS.h === 0) return `${ms / UNITS.h}h`;
  if (ms > 0 && ms % UNITS.m === 0) return `${ms / UNITS.m}m`;
  return ms % UNITS.s === 0 ? `${ms / UNITS.s}s` : `${ms}ms`;
}

/** A duration in a file; its value is in milliseconds. */
export const durationSchema = z.union([z.string(), z.number()]).transform((value, context) => {
  const ms = parseDuration(String(value));
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: noDuration(value, ' (a bare number is seconds)') });
  return z.NEVER;
});
