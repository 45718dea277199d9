/** Formats that all views share: colours (docs/specification.md R5.4) and times of day. */

/** The text in an ANSI colour; pass only text that `safeText` has cleaned. */
export const paint = (text: string, color: number): string => `\u001b[${color}m${text}\u001b[39m`;

/** `12:03:04`, in the reader's own time zone, from milliseconds since 1970 or ISO 8601. */
export function timeOfDay(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '--:--:--';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** `2026-11-24 12:03:04`, in the reader's own time zone, for what may be older than a day. */
export function dayAndTime(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'a time unknown';
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day} ${timeOfDay(at)}`;
}

const twoDigits = (part: number): string => String(part).padStart(2, '0');
