/**
 * What one relay call may carry: limits in decimal bytes of UTF-8 (docs/specification.md R9.9). A part over its limit
 * is refused, with its size. Only the previous output is clipped instead: on a character boundary, with a note.
 */
export const LIMITS = { context: 200_000, diff: 300_000, prompt: 500_000 } as const;
export type BudgetPart = keyof typeof LIMITS;

export interface BudgetRefusal {
  readonly part: BudgetPart;
  readonly bytes: number;
  readonly limit: number;
}

/** The number of UTF-8 bytes of a text; a lone surrogate counts as the three bytes of U+FFFD. */
export function bytesOf(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isPair(unit, text.charCodeAt(at + 1))) {
      bytes += 4;
      at += 1;
    } else bytes += 3;
  }
  return bytes;
}

const isPair = (high: number, low: number): boolean => high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000;

/** @returns why a part may not be sent; undefined if it may */
export function refusalOf(part: BudgetPart, text: string): BudgetRefusal | undefined {
  const bytes = bytesOf(text);
  return bytes > LIMITS[part] ? { part, bytes, limit: LIMITS[part] } : undefined;
}

/** `The diff is 300,001 bytes; the limit is 300,000.` */
export const refusalText = ({ part, bytes, limit }: BudgetRefusal): string =>
  `The ${part} is ${thousands(bytes)} bytes; the limit is ${thousands(limit)}.`;

export const thousands = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** The beginning of a text, in at most `limit` bytes; never half a character. */
export function headOf(text: string, limit: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += bytesOf(character);
    if (bytes > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** The end of a text, in at most `limit` bytes; never half a character. */
function tailOf(text: string, limit: number): string {
  let bytes = 0;
  let start = text.length;
  while (start > 0) {
    const size = isPair(text.charCodeAt(start - 2), text.charCodeAt(start - 1)) ? 2 : 1;
    bytes += bytesOf(text.slice(start - size, start));
    if (bytes > limit) break;
    start -= size;
  }
  return text.slice(start);
}

/** Bytes reserved for the note about the omitted part. */
const NOTE_BYTES = 100;

/**
 * A text in at most `limit` bytes: its beginning and its end, with a note about the omitted part between them.
 *
 * @returns the text itself if it fits; an empty text if even the note does not fit
 */
export function clip(text: string, limit: number): string {
  const bytes = bytesOf(text);
  if (bytes <= limit) return text;
  if (limit <= NOTE_BYTES) return '';
  const room = limit - NOTE_BYTES;
  const head = headOf(text, Math.ceil((room * 2) / 3));
  const tail = tailOf(text, room - bytesOf(head));
  const left = bytes - bytesOf(head) - bytesOf(tail);
  return `${head}\n[… ${thousands(left)} of ${thousands(bytes)} bytes left out …]\n${tail}`;
}
