/** What goes to a host: made safe, and bounded, since all of it lands in a model's context. */
import { safeText } from '../../index.ts';

/** Bytes of one answer. */
export const MOST_BYTES = 64 * 1024;

/** Cut on a character's boundary, and says so. */
export function capped(text: string): string {
  const safe = safeText(text);
  const bytes = Buffer.from(safe);
  if (bytes.length <= MOST_BYTES) return safe;
  const note = `\n[The answer has ${bytes.length} bytes; the first ${MOST_BYTES} at most are shown.]`;
  let end = MOST_BYTES - Buffer.byteLength(note);
  // A byte that continues a character is not a boundary.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}${note}`;
}
