/** How small things look in every view: colours (SPEC §6) and times of day. */

/** The text in an ANSI colour; make it safe first. */
export const paint = (text: string, color: number): string => `\u001b[${color}m${text}\u001b[39m`;

/** `12:03:04`, in the reader's own time zone; of a time in milliseconds or in ISO 8601. */
export function timeOfDay(at: number | string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '--:--:--';
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
