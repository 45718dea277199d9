/** Makes text for a host safe and limits its size, because all of it goes into a model's context. */
import { isMap, safeText } from '../../app.ts';

/** Bytes of one answer. */
export const MOST_BYTES = 64 * 1024;
/** Bytes of the data of one answer: JSON takes more than its text, because it escapes characters. */
const MOST_DATA_BYTES = 2 * MOST_BYTES;
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
    const text = JSON.stringify(withClippedTexts(item, MOST_OF_A_TEXT));
    bytes += Buffer.byteLength(text) + 2;
    more = bytes > MOST_BYTES;
    if (more) break;
    shown.push(text);
  }
  return `{"${key}":[\n${shown.join(',\n')}\n],"more":${more}}`;
}

/** The same value with safe texts of at most this many characters each; `undefined` is left out. */
function withClippedTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return clipped(safeText(value), most);
  if (Array.isArray(value)) return value.map((one) => withClippedTexts(one, most));
  return isMap(value) ? clippedMap(value, most) : value;
}

const clippedMap = (map: Readonly<Record<string, unknown>>, most: number): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [safeText(key), withClippedTexts(value, most)]));

const clipped = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)} [${text.length - most} characters more]` : text;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The data of an answer within {@link MOST_DATA_BYTES}: long texts are clipped. If that is not enough, its list ends
 * before the first item that does not fit, and `more` is then true.
 */
export function fitting(data: object): Record<string, unknown> {
  let shown = {};
  for (const most of [MOST_BYTES, 4 * MOST_OF_A_TEXT, MOST_OF_A_TEXT]) {
    shown = clippedMap({ ...data }, most);
    if (bytesOf(shown) <= MOST_DATA_BYTES) return shown;
  }
  const [key, list] = Object.entries(shown).find(([, value]) => Array.isArray(value)) ?? [];
  if (key === undefined || !Array.isArray(list)) return shown;
  let bytes = bytesOf({ ...shown, [key]: [], more: true });
  const end = list.findIndex((item) => (bytes += bytesOf(item) + 1) > MOST_DATA_BYTES);
  return { ...shown, [key]: list.slice(0, Math.max(end, 0)), more: true };
}
