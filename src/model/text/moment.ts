/** A moment of a team in the forms that people write: an event's number, a line of the board's log, a time. */

/** What was written. A time of day has no day yet: see {@link lastMs}. */
export type Moment =
  | { readonly kind: 'event'; readonly number: number }
  | { readonly kind: 'line'; readonly number: number }
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'time of day'; readonly ms: number; readonly spanMs: number };

const NUMBER = /^(e|b)?([1-9][0-9]{0,8})$/;
const TIME_OF_DAY = /^([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]))?$/;
const TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})?$/;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * @param text `15` or `e15`: an event of `teams log`; `b12`: a line of the board's log; `19:03`, `19:03:56` in the
 *   reader's time zone; ISO 8601. A time without seconds or milliseconds is the end of that minute or second, so that
 *   what is shown beside it has happened
 * @returns undefined for anything else
 */
export function parseMoment(text: string): Moment | undefined {
  const [, letter, number] = NUMBER.exec(text) ?? [];
  if (number !== undefined) return { kind: letter === 'b' ? 'line' : 'event', number: Number(number) };
  const [isTimeOfDay, hour, minute, second] = TIME_OF_DAY.exec(text) ?? [];
  if (isTimeOfDay !== undefined) {
    const start = (Number(hour) * 60 + Number(minute)) * MINUTE + Number(second ?? 0) * SECOND;
    const spanMs = second === undefined ? MINUTE : SECOND;
    return { kind: 'time of day', ms: start + spanMs - 1, spanMs };
  }
  const ms = TIME.test(text) && isDay(text.slice(0, 10)) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) return undefined;
  const clock = text.slice(text.indexOf('T') + 1).replace(/(?:Z|[+-][0-9]{2}:[0-9]{2})$/, '');
  if (clock.includes('.')) return { kind: 'time', ms };
  return { kind: 'time', ms: ms + (clock.length === 5 ? MINUTE : SECOND) - 1 };
}

/** `Date.parse` takes 30 February for 2 March. */
const isDay = (day: string): boolean => {
  const start = Date.parse(day);
  return !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
};

/**
 * The last moment not after another one at which a clock in the reader's time zone shows a time of day.
 *
 * @param moment its end in milliseconds since midnight, and how long the clock shows it
 * @param until milliseconds since 1970
 * @returns milliseconds since 1970
 */
export function lastMs({ ms, spanMs }: { readonly ms: number; readonly spanMs: number }, until: number): number {
  const onDay = (back: number): number => {
    const day = new Date(until);
    day.setDate(day.getDate() - back);
    return day.setHours(0, 0, 0, ms);
  };
  // The second or minute that has begun counts as now.
  const today = onDay(0);
  return today - spanMs < until ? today : onDay(1);
}
