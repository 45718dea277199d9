/** Lines of styled text, and which style means what. */
import stringWidth from 'fast-string-width';
import { charactersOf, clipped } from '../text-width.ts';

export interface Piece {
  readonly text: string;
  /** An ANSI colour. */
  readonly color?: number | undefined;
  readonly bold?: true;
  readonly dim?: true;
  readonly inverse?: true;
}

export type StyledLine = readonly Piece[];

export const RED = 31;
export const YELLOW = 33;
export const GREEN = 32;
export const CYAN = 36;

export const plain = (text: string): StyledLine => [{ text }];
export const faint = (text: string): StyledLine => [{ text, dim: true }];

/** A pane's heading, recognisable without colour. */
export const heading = (text: string, rest = ''): StyledLine => [
  { text, bold: true },
  ...(rest === '' ? [] : [{ text: `  ${rest}`, dim: true as const }]),
];

export const widthOf = (line: StyledLine): number => line.reduce((width, { text }) => width + stringWidth(text), 0);

/** The beginning of a line that fits. */
export function fitted(line: StyledLine, columns: number): StyledLine {
  const shown: Piece[] = [];
  let left = columns;
  for (const piece of line) {
    const width = stringWidth(piece.text);
    if (width > left) {
      shown.push({ ...piece, text: clipped(piece.text, left) });
      break;
    }
    shown.push(piece);
    left -= width;
  }
  return shown;
}

/** A line of exactly so many columns. */
export function filled(line: StyledLine, columns: number): StyledLine {
  const shown = fitted(line, columns);
  return [...shown, { text: ' '.repeat(Math.max(0, columns - widthOf(shown))) }];
}

/** The first lines that fit; the last line counts the others. */
export function within(lines: readonly StyledLine[], room: number): readonly StyledLine[] {
  if (lines.length <= room) return lines;
  if (room <= 0) return [];
  const shown = lines.slice(0, room - 1);
  return [...shown, faint(`… and ${lines.length - shown.length} more`)];
}

/** A text in lines of at most so many columns, cut between words where there are any. */
export function wrapped(text: string, columns: number): string[] {
  if (stringWidth(text) <= columns) return [text];
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const character of charactersOf(text)) {
    const own = stringWidth(character);
    if (width + own > Math.max(1, columns)) {
      const space = line.lastIndexOf(' ');
      const rest = space > columns / 2 ? line.slice(space + 1) : '';
      lines.push(rest === '' ? line : line.slice(0, space));
      line = rest;
      width = stringWidth(rest);
    }
    line += character;
    width += own;
  }
  return line === '' ? lines : [...lines, line];
}
