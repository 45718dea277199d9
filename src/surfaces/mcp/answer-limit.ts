/** Makes text for a host safe and limits its size, because all of it goes into a model's context. */
import { isMap, safeText } from '../../app.ts';

/** Bytes of one answer. */
export const MOST_BYTES = 64 * 1024;
/** Bytes of the data of one answer: JSON takes more than its text, because it escapes characters. */
const MOST_DATA_BYTES = 2 * MOST_BYTES;

/** Cuts the text at a character's boundary, and adds a note. */
export function capped(text: string): string {
  const safe = safeText(text);
  const bytes = Buffer.from(safe);
  if (bytes.length <= MOST_BYTES) return safe;
  const note = `\n[The answer has ${bytes.length} bytes; the first ${MOST_BYTES} at most are shown.]`;
  const end = characterEnd(bytes, MOST_BYTES - Buffer.byteLength(note));
  return `${bytes.subarray(0, end).toString('utf8')}${note}`;
}

/**
 * A list as JSON that stays valid when it is limited. Long texts are clipped. The first item that does not fit ends the
 * page: `more` is then true, and `next` names the page that begins with it.
 */
export function cappedJson(
  key: string,
  items: readonly object[],
  nextOf: (at: number) => string,
): { text: string; next: string | undefined } {
  const shown: string[] = [];
  // The rest is for the frame, and the URI of the next page.
  let bytes = 512;
  for (const [at, item] of items.entries()) {
    let text = JSON.stringify(clippedMap({ ...item }, CLIPPED));
    if (Buffer.byteLength(text) > MOST_BYTES / 2) text = JSON.stringify(fitting(item, MOST_BYTES / 2));
    bytes += Buffer.byteLength(text) + 2;
    if (bytes > MOST_BYTES) {
      const next = nextOf(at);
      return { text: `{"${key}":[\n${shown.join(',\n')}\n],"more":true,"next":${JSON.stringify(next)}}`, next };
    }
    shown.push(text);
  }
  return { text: `{"${key}":[\n${shown.join(',\n')}\n],"more":false}`, next: undefined };
}

/** Bytes of a text from a place on. */
interface TextPart {
  readonly bytes: Buffer;
  readonly from: number;
  /** Bytes of the whole text. */
  readonly size: number;
}

/** A part of a text as a page that ends with a line, if it has one, and names the next page. */
export function textPage(
  { bytes, from, size }: TextPart,
  nextOf: (at: number) => string,
): { text: string; next: string | undefined } {
  const isLast = from + bytes.length >= size;
  const line = bytes.lastIndexOf(0x0a) + 1;
  const end = isLast ? bytes.length : line > 0 ? line : characterEnd(bytes, bytes.length - 3);
  const text = safeText(bytes.subarray(0, end).toString('utf8'));
  if (isLast) return { text, next: undefined };
  const next = nextOf(from + end);
  return { text: `${text}\n[Bytes ${from} to ${from + end} of ${size}. Go on with ${next}]`, next };
}

/** The last boundary of a character up to `end`. A UTF-8 continuation byte is not a boundary. */
function characterEnd(bytes: Buffer, end: number): number {
  let at = end;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

/** Limits of what is inside an item: characters of a text, items of a list. */
interface Limits {
  readonly text: number;
  readonly items: number;
}

const CLIPPED: Limits = { text: 4_000, items: 1_000 };
/** Tried until the data fit. The first shows all that the text of an answer can show. */
const LIMITS: readonly Limits[] = [
  { text: MOST_BYTES, items: Infinity },
  { text: 16_000, items: 1_000 },
  CLIPPED,
  { text: 1_000, items: 50 },
  { text: 200, items: 5 },
];

/** The same value within the limits, its texts safe; `undefined` is left out. */
function clipped(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') return clippedText(safeText(value), limits.text);
  if (Array.isArray(value)) {
    const shown = value.slice(0, limits.items).map((one) => clipped(one, limits));
    return value.length > limits.items ? [...shown, `[${value.length - limits.items} more]`] : shown;
  }
  return isMap(value) ? clippedMap(value, limits) : value;
}

const clippedMap = (map: Readonly<Record<string, unknown>>, limits: Limits): Record<string, unknown> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [safeText(key), clipped(value, limits)]));

const clippedText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)} [${text.length - most} characters more]` : text;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * The data of an answer within `most` bytes of JSON: long texts and inner lists are clipped. If that is not enough, its
 * own list ends before the first item that does not fit, and `more` is then true.
 */
export function fitting(data: object, most = MOST_DATA_BYTES): Record<string, unknown> {
  let shown: Record<string, unknown> = {};
  for (const limits of LIMITS) {
    shown = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [
        key,
        Array.isArray(value) ? value.map((one) => clipped(one, limits)) : clipped(value, limits),
      ]),
    );
    if (bytesOf(shown) <= most) return shown;
    const shorter = limits.text <= CLIPPED.text ? withShorterList(shown, most) : undefined;
    if (shorter !== undefined) return shorter;
  }
  return shown;
}

/** @returns undefined without a list, or if its first item does not fit */
function withShorterList(data: Readonly<Record<string, unknown>>, most: number): Record<string, unknown> | undefined {
  const [key, list] = Object.entries(data).find(([, value]) => Array.isArray(value)) ?? [];
  if (key === undefined || !Array.isArray(list)) return undefined;
  let bytes = bytesOf({ ...data, [key]: [], more: true });
  const end = list.findIndex((item) => (bytes += bytesOf(item) + 1) > most);
  return end < 1 ? undefined : { ...data, [key]: list.slice(0, end), more: true };
}
