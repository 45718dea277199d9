/** Formats text in columns. */
import stringWidth from 'fast-string-width';
import { safeLine } from '../../../app.ts';

/** Columns of a terminal. Most cells are of ASCII, for which the tables of Unicode need not be made. */
const widthOf = (cell: string): number => (/^[ -~]*$/.test(cell) ? cell.length : stringWidth(cell));

/** One line for each row; each column is as wide as its widest cell. Cells are made safe and put on one line. */
export function table(rows: readonly (readonly string[])[]): string {
  const safe = rows.map((row) => row.map(safeLine));
  const widths = safe.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, stringWidth(cell))),
    [],
  );
  const padded = (cell: string, at: number): string =>
    cell + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(cell)));
  return safe.map((row) => row.map(padded).join('  ').trimEnd()).join('\n');
}
