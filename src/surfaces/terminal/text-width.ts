/** Measures text in terminal columns, not characters: wide characters take two, accents none. */
import stringWidth from 'fast-string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Splits a text into what a person sees as characters (grapheme clusters). */
export const charactersOf = (text: string): string[] => Array.from(graphemes.segment(text), ({ segment }) => segment);

/** The beginning of a text that fits; an ellipsis marks that text is missing. */
export function clipped(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let shown = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += stringWidth(segment);
    if (width > columns - 1) break;
    shown += segment;
  }
  return columns < 1 ? '' : `${shown}…`;
}

export const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - stringWidth(text)));

export const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => stringWidth(text)));

/** How many rows these lines take at this width; longer lines wrap. */
export const rowsOf = (lines: readonly string[], columns: number): number =>
  lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(stringWidth(line) / Math.max(1, columns))), 0);
