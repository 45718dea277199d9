/** Makes text for a host safe and limits its size, because all of it goes into a model's context. */
import { safeText } from '../../app.ts';

/** Bytes of one answer. */
export const MOST_BYTES = 64 * 1024;
/** Characters of one text inside a resource. */
const MOST_OF_A_TEXT = 4_000;

/** Cuts the text at a character's boundary, and adds a note. */
export function capped(text: string): string {
  const safe = safeText(text);
  const bytes = Buffer.from(safe);
  if (bytes.length <= MOST_BYTES) return safe;
  const note = `\n[The answer has ${bytes.length} bytes; the first ${MOST_BYTES} at most are shown.]`;
  let end = MOST_BYTES - Buffer.byteLength(note);
  // A UTF-8 continuation byte is not a boundary.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}${note}`;
}

/**
 * A list as JSON that stays valid when it is limited. Long texts are clipped. The first item that does not fit ends the
 * list, and `more` is then true.
 */
export function cappedJson(key: string, items: Iterable<object>): string {
  const shown: string[] = [];
  let [bytes, more] = [64, false];
  for (const item of items) {
    const text = safeText(JSON.stringify(item, clipped));
    bytes += Buffer.byteLength(text) + 2;
    more = bytes > MOST_BYTES;
    if (more) break;
    shown.push(text);
  }
  return `{"${key}":[\n${shown.join(',\n')}\n],"more":${more}}`;
}

const clipped = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > MOST_OF_A_TEXT
    ? `${value.slice(0, MOST_OF_A_TEXT)} [${value.length - MOST_OF_A_TEXT} characters more]`
    : value;
